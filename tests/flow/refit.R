# SPDX-License-Identifier: BSD-3-Clause
# Effects of products of genotypes, by lm() and glm(), beside those of PREFIX.tsv:
# Rscript refit.R WAY PREFIX...; prints how many were equal and how many are NA.
given <- commandArgs(TRUE)
way <- as.integer(given[1])
count <- c(equal = 0, none = 0)

near <- function(a, b, least = 0) abs(a - b) <= 1e-9 * (abs(b) + least)

# five times, as standard errors are of the effects before the last step; a smaller
# epsilon would let columns count that follow from others
logistic <- function(of, used) suppressWarnings({
  fit <- glm(of, binomial, used)
  for (k in 1:4) {
    used$odds <- fit$linear.predictors
    fit <- glm(of, binomial, used, etastart = odds)
  }
  fit
})

for (prefix in given[-1]) {
  d <- read.table(paste0(prefix, ".frame"), header = TRUE)
  got <- read.table(paste0(prefix, ".tsv"), na.strings = c("NA", "."))
  cases <- all(d$y %in% c(1, 2, NA))
  if (cases) d$y <- d$y - 1
  free <- grep("^c", names(d), value = TRUE)
  for (k in seq_len(nrow(got))) {
    ids <- unlist(got[k, seq_len(way)])
    here <- unlist(got[k, way + 1:5])
    note <- got[k, way + 6]
    of <- reformulate(c(free, paste(ids, collapse = "*")), "y")
    used <- d[complete.cases(d[c("y", free, ids)]), ]
    fit <- if (cases) logistic(of, used) else lm(of, used)
    of <- coef(fit)
    last <- of[length(of)]
    what <- paste(prefix, paste(ids, collapse = " "), note)
    if (here[5] != nrow(used)) stop(what, ": n")
    if (!is.na(note)) {
      ok <- is.na(here[1]) && switch(note,
        collinear = anyNA(of[-seq_len(1 + length(free))]),
        few = nrow(used) <= length(of),
        separation = max(abs(fit$linear.predictors)) > 20,
        FALSE)
      if (!isTRUE(ok)) stop(what)
      count["none"] <- count["none"] + 1
      next
    }
    row <- summary(fit)$coefficients[names(last), ]
    ok <- near(here[1], row[1], 1e-3 * row[2]) && near(here[2], row[2]) &&
      near(here[3], row[4]) &&
      if (cases) near(here[4], exp(row[1])) else is.na(here[4])
    if (!isTRUE(ok)) {
      print(rbind(here[1:3], row[c(1, 2, 4)]), digits = 16)
      stop(what)
    }
    count["equal"] <- count["equal"] + 1
  }
}
cat(count, "\n")
