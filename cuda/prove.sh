#!/bin/sh
# Runs all proofs of the CUDA codec on a machine with a device and no cargo:
#
#   cuda/prove.sh FOLDER [DATA]
#
# FOLDER holds the test programs that `cargo test -p fsz-codec -p fsz-bench --release --no-run` built for such a
# system: target/release/deps, or just its cuda* programs, copied. DATA is a folder of real fields; without
# it the tests that want them say that they were skipped. compute-sanitizer checks the kernels where
# it is on the PATH (SANITIZE=0 leaves it out). Logs go to PROOF_LOGS, else to ./proof-logs; a dated
# summary comes last and goes to summary.txt there. Exit code 0 when everything passed. The golden
# streams are those of the repository that this script lies in, else of FSZ_TEST_GOLDEN.
set -u

fail() {
    echo "error: $1" >&2
    exit 2
}

[ $# -ge 1 ] || fail "usage: cuda/prove.sh FOLDER [DATA]"
folder=$(cd "$1" 2>/dev/null && pwd) || fail "no folder $1"
logs=${PROOF_LOGS:-proof-logs}
mkdir -p "$logs" || fail "cannot write to $logs"
if [ $# -ge 2 ]; then
    FSZ_TEST_DATA=$(cd "$2" 2>/dev/null && pwd) || fail "no folder $2"
    export FSZ_TEST_DATA
fi
golden=$(dirname "$0")/../tests/golden/v1
if [ -z "${FSZ_TEST_GOLDEN:-}" ] && [ -d "$golden" ]; then
    FSZ_TEST_GOLDEN=$(cd "$golden" && pwd)
    export FSZ_TEST_GOLDEN
fi
# A proof without a device is none.
export FSZ_REQUIRE_CUDA=1
results="" failed=0

# The newest build of a test program.
program() {
    for file in $(ls -t "$folder/$1" "$folder/$1"-* 2>/dev/null); do
        if [ -f "$file" ] && [ -x "$file" ]; then
            echo "$file"
            return
        fi
    done
}

# step NAME COMMAND...: runs it into a log of that name.
step() {
    name=$1
    shift
    begin=$(date +%s)
    if "$@" >"$logs/$name.log" 2>&1; then verdict=passed; else verdict=FAILED failed=1; fi
    seconds=$(($(date +%s) - begin))
    counts='s/^test result: [A-Za-z]*\. \([0-9]* passed; [0-9]* failed\).*/\1/p'
    tests=$(sed -n "$counts" "$logs/$name.log" | tail -n 1)
    skips=$(grep -c '^SKIPPED' "$logs/$name.log")
    [ "$skips" = 0 ] || tests="$tests; $skips skipped"
    line=$(printf '%-24s %-7s %5s s  %s' "$name" "$verdict" "$seconds" "$tests")
    echo "$line"
    [ "$verdict" = passed ] || tail -n 30 "$logs/$name.log"
    results="$results$line
"
}

# Parity with the CPU and hostile streams; device memory, guards and repeats under load; the paper's
# kernels.
for suite in cuda cuda_host cuda_device cuda_stream cuda_regions cuda_compress_regions cuda_graph \
    cuda_paper; do
    test=$(program $suite)
    if [ -z "$test" ]; then
        results="$results$suite: NOT THERE
"
        failed=1
        continue
    fi
    step "$suite" "$test" --nocapture
done

# The sanitizers slow kernels down by ten to a hundred times: they see the tests that take every
# path once, and not those that repeat.
if [ "${SANITIZE:-1}" = 1 ] && command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck synccheck; do
        for suite in cuda cuda_device cuda_compress_regions; do
            test=$(program $suite)
            [ -n "$test" ] || continue
            # Thread blocks that encode boxes have 64 barriers each: more in all than synccheck keeps
            # by itself, and where it keeps too few it ends the kernel as if that had failed.
            step "$tool-$suite" compute-sanitizer --tool "$tool" --error-exitcode 1 \
                $([ "$tool" = synccheck ] && echo --num-cuda-barriers 4096) \
                --target-processes all "$test" --test-threads 1 $(
                    case $suite in
                    cuda) echo every_kind_of_field boxes_slices_and_tiles shapes_names ;;
                    cuda_device) echo any_alignment ;;
                    cuda_compress_regions) echo what_is_no_number fields_lie_at_any_address ;;
                    esac
                )
        done
    done
else
    results="${results}compute-sanitizer: not run
"
fi

summary() {
    card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
    echo "CUDA proofs of $(date -u '+%Y-%m-%d %H:%M UTC') on ${card:-an unknown device}"
    printf '%s' "$results"
    if [ $failed = 0 ]; then echo "everything passed"; else echo "NOT everything passed"; fi
}
echo
summary | tee "$logs/summary.txt"
exit $failed
