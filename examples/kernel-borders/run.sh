#!/bin/sh
# The figures and pictures of README.md, from the root of the repository after `make`.
set -e
samara=build/samara
out=${1:-build/kernel-borders}
mkdir -p "$out"

# Inside the ellipse x^2 + 2 y^2 < 3, or not.
awk 'BEGIN {
    print "x,y,place"
    for (i = 0; i < 300; i++) {
        x = 6 * (i * 0.7548776662 % 1) - 3; y = 5 * (i * 0.5698402910 % 1) - 2.5
        r = x * x + 2 * y * y
        if (r < 2.7 || r > 3.3) printf "%.4f,%.4f,%s\n", x, y, r < 3 ? "inside" : "outside"
    }
}' > "$out/ellipse.csv"
for sentence in "svm 1000" "poly 2 | svm 1000" "svm 1000 kernel=quadratic"; do
    printf '%s: ' "$sentence"
    "$samara" cv "$sentence" "$out/ellipse.csv" --target place -q | awk '$1 == "accuracy" { print $2 }'
done
"$samara" train "poly 2 | svm margin=hard" "$out/ellipse.csv" --target place --holdout 0 -q \
    -o "$out/ellipse.smr"
"$samara" inspect "$out/ellipse.smr" | sed -n '/^ *feature  /,/^ *intercept/p'

# The same rows, with borders that bend more and more.
"$samara" make moons n=200 noise=0.25 --seed 2 -q -o "$out/moons.csv"
for kernel in "poly(degree=1)" "poly(degree=2)" "poly(degree=8)" "rbf(gamma=0.05)" "rbf(gamma=20)"; do
    name=$(printf '%s' "$kernel" | tr -c 'a-z0-9.\n' '-' | sed 's/-$//')
    "$samara" train "svm 10 kernel=$kernel" "$out/moons.csv" --target y --holdout 0 -q \
        -o "$out/$name.smr"
    printf '%-16s fitted rows %s, other rows %s, support vectors %s\n' "$kernel" \
        "$("$samara" evaluate "$out/$name.smr" "$out/moons.csv" -q |
            awk '$1 == "accuracy" { print $2; exit }')" \
        "$("$samara" cv "svm 10 kernel=$kernel" "$out/moons.csv" --target y --folds 10 -q |
            awk '$1 == "accuracy" { print $2 }')" \
        "$("$samara" inspect "$out/$name.smr" | awk '$1 == "support_vectors" { print $2; exit }')"
    "$samara" explain regions "$out/$name.smr" "$out/moons.csv" -q --plot "$out/$name.svg" > /dev/null
done
