// SPDX-License-Identifier: BSD-3-Clause
// A module for Nextflow in the style of nf-core, from vectors to a merged result.
// task.ext.args holds options of vsim-run.
process VSIM_RUN {
    tag "$meta.id"
    label 'process_high'

    input:
    tuple val(meta), path(vectors)

    output:
    tuple val(meta), path("*.res.h5"), emit: result
    path "versions.yml"              , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args   = task.ext.args ?: '-m r2 -t 0.8'
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    vsim-run $args --threads $task.cpus --memory ${task.memory ? task.memory.toGiga() + 'G' : '4G'} \\
        -o ${prefix}.run --merge ${prefix}.res.h5 $vectors

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        vsim: \$(vsim-run --version | sed -n '1s/^vsim-run \\([^ ]*\\).*/\\1/p')
    END_VERSIONS
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.res.h5 versions.yml
    """
}
