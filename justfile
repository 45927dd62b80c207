# Verbs for work on Holdoff; `just` lists them.

_default:
    @just --list --unsorted

# what CI runs
ci:
    .ci/run

# the main job: the reference client, every case
run *ARGS:
    cargo run --release -- run {{ARGS}}

# the tests, as the README says
test *ARGS:
    cargo test --workspace {{ARGS}}

# format, lints and documentation
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# specification, fixtures, manifests and coverage
check:
    cargo run --release -- check

# does every defect still get caught?
mutants:
    cargo run --release -- mutants

# the same verdicts, again and again, beside a busy processor
repeat TIMES="100" CLOCK="virtual" *ARGS:
    .ci/repeat {{TIMES}} {{CLOCK}} {{ARGS}}

# what virtual time costs on this computer
bench-vtime:
    cargo bench -p holdoff --bench vtime

# unit tests of the adapter kits
kits:
    cd adapters/kit/python && python3 -m unittest discover -s tests -t . -p 'test_*.py'
    cd adapters/kit/node && node --test tests/*.test.mjs

# build an adapter and run it, e.g. `just adapter basecamp-python`
adapter NAME *ARGS:
    cargo run --release -- build {{NAME}}
    cargo run --release -- run --adapter '{{NAME}}' {{ARGS}}

# regenerate the divergence reports of an adapter below reports/
reports NAME:
    cargo run --release -- build {{NAME}}
    -cargo run --release -- run --adapter '{{NAME}}' --save target/{{NAME}}.jsonl
    cargo run --release -- report target/{{NAME}}.jsonl --out reports

# look at changed snapshots one by one (needs cargo-insta)
snapshots:
    cargo insta review

# licences, bans, advisories (needs cargo-deny)
deny:
    cargo deny check
