#!/bin/sh
# Stands for your simulator: it reads what `nonstop ask` printed, and prints what `nonstop tell` reads.
trial=$(cat)
field() {
    printf '%s\n' "$trial" | sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p"
}
awk -v number="$(field number)" -v angle="$(field angle)" -v speed="$(field speed)" 'BEGIN {
    print "{\"number\": " number ", \"value\": " (angle - 40) ^ 2 / 1000 + (speed - 20) ^ 2 / 400 ", \"program\": \"awk\"}"
}'
