#!/bin/sh
# Asks for a trial, evaluates it, tells its value; so many times. Start it as often as you like, at the same time too, on
# any machine that reaches the storage.
#
#     NONSTOP_STORAGE=sqlite:///lab.db sh loop.sh lab 20
set -eu
study=$1 trials=$2

# Stands for your program: its arguments are params, what it prints is the value.
simulate() {
    awk -v angle="$1" -v speed="$2" 'BEGIN { print (angle - 40) ^ 2 / 1000 + (speed - 20) ^ 2 / 400 }'
}

# {"number": 3, "params": {"angle": 12.5, "speed": 7.0}, "attempt": 1, "seed": 77}
field() {
    printf '%s\n' "$trial" | sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p"
}

while [ "$trials" -gt 0 ]; do
    trial=$(nonstop ask "$study" --lease 10m) # if this script dies, another gets the trial after ten minutes
    if value=$(simulate "$(field angle)" "$(field speed)"); then
        nonstop tell "$study" "$(field number)" --value="$value"
    else
        nonstop tell "$study" "$(field number)" --failed --reason "exit code $?"
    fi
    trials=$((trials - 1))
done
