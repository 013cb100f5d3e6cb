#!/bin/bash
# An experiment: set what a device is to do, wait, read what it measured, and tell. The device has a serial line, on which it
# understands two commands, and answers the second with a number or with ERROR and a reason:
#
#     SET angle 12.5
#     MEASURE
#
#     NONSTOP_STORAGE=sqlite:///lab.db bash device.sh lab /dev/ttyUSB0 20
set -eu
study=$1 device=$2 trials=$3
exec 3<> "$device"

while [ "$trials" -gt 0 ]; do
    trial=$(nonstop ask "$study" --worker "$(basename "$device")")
    number=$(sed 's/.*"number": \([0-9]*\).*/\1/' <<< "$trial")
    # One line for each parameter: "angle": 12.5 becomes SET angle 12.5
    sed 's/.*"params": {\([^}]*\)}.*/\1/; s/, /\n/g' <<< "$trial" | sed 's/"\(.*\)": \(.*\)/SET \1 \2/' >&3
    echo MEASURE >&3
    if ! read -r -t 3600 answer <&3; then
        nonstop tell "$study" "$number" --failed --reason "no answer in an hour"
    elif [[ $answer == ERROR* ]]; then
        nonstop tell "$study" "$number" --failed --reason "$answer"
    else
        nonstop tell "$study" "$number" --value="$answer"
    fi
    trials=$((trials - 1))
done
