# A result can be drawn, each figure by its name, and shown as a page.
$ samara train "standardize | knn 15" data/iris.csv -t species -q -o iris.smr --plot roc.svg --plot confusion=c.svg --report iris.html && ls *.html *.svg
c.svg
iris.html
roc.svg
$ head -c 100 roc.svg; tail -n 1 c.svg; grep -c '<figure>' iris.html; grep '<h1>' iris.html
<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" class="smr" role="img<text x="16" y="290">Each row of the chart is a true class, each column a predicted one; correct predictions lie</text><text x="16" y="307">on the diagonal.</text></svg>
7
<h1>knn trained on iris.csv</h1>

# A page says what the model learned, which sentence a search kept, and which model won a comparison.
$ samara train "ridge" data/diabetes.csv -t last -q -o d.smr --report d.html; grep -A1 -e '<h2>What the model learned' -e '<h2>Columns of the data' -e '>(intercept)<' d.html | cut -c 1-100; grep -c '<dt>iterations' d.html
<h2>What the model learned</h2>
<h3>ridge: Ridge regression</h3>
--
<tr><th scope="row">(intercept)</th><td class="n">−316.1</td></tr>
<tr><th scope="row">age</th><td class="n">−0.03285</td></tr>
--
<h2>Columns of the data</h2>
<h3>Numbers</h3>
0
[status 1]
$ samara tune "knn 5" data/iris.csv -t last --trials 4 -o t.smr --report t.html > /dev/null; grep -c -e '<h2>Winner</h2>' -e 'as given: <code>knn k=5' t.html
2
$ samara compare data/iris.csv -t last "knn 5" "knn 7" --report c.html > /dev/null; grep -A1 '<h2>The models' c.html
<h2>The models, best first</h2>
<p>Best: <b>knn 7</b>; not clearly better than: knn 5.</p>

# The files do not depend on the number of threads.
$ for n in 1 2 7; do samara cv "knn 5" data/iris.csv -t species -q --threads $n --plot folds=t$n.svg > /dev/null; done; cmp t1.svg t2.svg && cmp t1.svg t7.svg && echo same
same

# A result that was kept as JSON is drawn later, with the same bytes.
$ samara train "standardize | knn 15" data/iris.csv -t species --json > kept.json; samara plot kept.json
train: 6 figures
  confusion            Confusion matrix
  classes              Precision, recall and F1 of each class
  roc                  ROC curve
  precision_recall     Precision and recall
  calibration          Calibration
  scores               Confidence of the model
$ samara plot kept.json --plot roc=again.svg > /dev/null; cmp roc.svg again.svg && echo same
same
$ samara plot - --plot scores.svg < kept.json > /dev/null; ls scores.svg
scores.svg

# If there is only one figure, any name will do.
$ samara explain importance iris.smr data/iris.csv --plot picture.svg > /dev/null; ls picture.svg
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
picture.svg

# The error for a figure that is not there lists those that are.
$ samara plot kept.json --plot rok.svg
train: 6 figures
  confusion            Confusion matrix
  classes              Precision, recall and F1 of each class
  roc                  ROC curve
  precision_recall     Precision and recall
  calibration          Calibration
  scores               Confidence of the model
samara: --plot: there is no figure 'rok' in this result; there is confusion, classes, roc, precision_recall, calibration, scores
[status 2]
$ ls rok.svg
ls: cannot access 'rok.svg': No such file or directory
[status 2]

# What cannot be written is said before the work begins, and nothing is left behind.
$ samara cv "knn 5" data/iris.csv -t species --report nowhere/report.html
samara: nowhere/report.html: cannot be written: No such file or directory
[status 3]
$ samara cv "knn 5" data/iris.csv -t species --plot nowhere/folds.svg
samara: nowhere/folds.svg: cannot be written: No such file or directory
[status 3]
$ samara tune "knn" data/digits.csv -t digit --report /proc/report.html; ls *.tmp* 2>/dev/null
samara: /proc/report.html: cannot be written: No such file or directory
[status 2]

# Names that say nothing, or the same twice.
$ samara plot kept.json --plot roc.pdf
samara: --plot: 'roc.pdf' ends neither in .svg nor in .png
[status 2]
$ samara plot kept.json --plot .svg
samara: --plot: '.svg' names no figure; try NAME=FILE
[status 2]
$ samara plot kept.json --plot roc=a.svg --plot lift=a.svg
samara: a.svg is asked for twice; choose another name
[status 2]
$ cp kept.json kept.svg; samara plot kept.svg --plot roc=kept.svg; cmp kept.json kept.svg && echo kept
samara: kept.svg would be replaced by the picture; choose another --plot
kept
$ samara list --plot x.svg
samara: list does not take --plot; 'samara help list' lists what it takes
[status 2]

# What is not a result is refused.
$ echo '[1, 2]' > list.json; samara plot list.json
samara: list.json holds no result: not a JSON object
[status 1]
$ echo '{"figures": [' > broken.json; samara plot broken.json
samara: byte 14 of the JSON text: expected a value, but it ends here (while reading broken.json)
[status 1]
$ echo '{"figures": []}' > none.json; samara plot none.json --plot roc.svg
figure: 0 figures
samara: --plot roc: this result has no figures
[status 2]
$ echo '{"name": "f", "series": [{"kind": "pie", "y": [1]}]}' > pie.json; samara plot pie.json --plot pie.svg
figure: 1 figure
  f                    (no title)
samara: figure 'f' cannot be drawn: there is no kind of series 'pie'
[status 2]
$ samara plot nothing.json
samara: nothing.json: cannot be opened: No such file or directory
[status 3]

# A file that may not grow leaves the old one.
$ cp roc.svg old.svg; (ulimit -f 1; samara plot kept.json --plot roc.svg > /dev/null); cmp roc.svg old.svg && echo kept
samara: roc.svg: cannot be written: File too large
kept

# Inspect draws the weights of a linear model.
$ samara train "standardize | huber" data/diabetes.csv -t progression -o h.smr -q; samara inspect h.smr --plot w.svg > /dev/null; grep -o '>s5<' w.svg; samara inspect h.smr --json | grep -c '"hbars"'
>s5<
1

# A figure that the command cannot draw is refused before the work; every figure that it has can be asked for by its name.
$ samara train "boost rounds=1000000" data/iris.csv -t species --plot rok.svg
/samara:\ \-\-plot:\ train\ draws\ no\ figure\ 'rok';\ depending\ on\ the\ task\ it\ draws\ confusion,\ classes,\ mistakes,\ roc,\ precision_recall,\ gain,\ lift,\ threshold,\ calibration,\ scores,\ predicted\*,\ residuals\*,\ residual_histogram\*,\ normal_quantiles\*,\ sizes,\ contingency,\ silhouettes,\ row_scores,\ importance\*,\ dependence\*/
[status 2]
$ samara tune knn data/iris.csv -t species --plot roc.svg
/samara:\ \-\-plot:\ tune\ draws\ no\ figure\ 'roc';\ it\ draws\ trials,\ search_\*/
[status 2]
$ names() { samara "$@" --json -q 2> /dev/null | sed -n '/"figures"/,$p' | sed -n 's/^      "name": "\(.*\)",/\1/p'; }
> all() { for n in $(names "$@"); do samara "$@" -q --plot $n=one.svg > out 2>&1 || cat out; echo $n; done | xargs; }
> all train "tree max_depth=2" data/breast_cancer.csv -t diagnosis; all train linear data/diabetes.csv -t progression,bmi; all cv "knn 9" data/iris.csv -t species; all tune knn data/iris.csv -t species --over "k=1,3 weight=uniform,distance"
confusion classes roc precision_recall gain lift threshold calibration scores
predicted_progression residuals_progression residual_histogram_progression normal_quantiles_progression predicted_bmi residuals_bmi residual_histogram_bmi normal_quantiles_bmi
folds confusion classes roc precision_recall calibration scores
trials search_k

# A figure that the target does not have is refused before the work.
$ samara train "forest 100000" data/diabetes.csv --target progression -o none.smr --plot roc.svg
samara: --plot: train draws no figure 'roc' of this target; it draws predicted\*, residuals\*, residual_histogram\*, normal_quantiles\*, importance\*, dependence\*
[status 2]
$ ls none.smr
ls: cannot access 'none.smr': No such file or directory
[status 2]
$ samara cv "forest 100000" data/diabetes.csv --target progression --plot confusion.svg
samara: --plot: cv draws no figure 'confusion' of this target; it draws folds, predicted\*, residuals\*, residual_histogram\*, normal_quantiles\*
[status 2]
$ samara cv "forest 100000" data/iris.csv --target species --plot lift.svg
samara: --plot: cv draws no figure 'lift' of this target; it draws folds, confusion, classes, roc, precision_recall, calibration, scores
[status 2]
$ samara train "ridge" data/diabetes.csv --target progression -o line.smr -q
$ samara evaluate line.smr nothing.csv --plot roc.svg
samara: --plot: evaluate draws no figure 'roc' of this target; it draws predicted\*, residuals\*, residual_histogram\*, normal_quantiles\*
[status 2]
$ samara explain dependence line.smr nothing.csv --plot roc.svg
samara: --plot: there is no figure 'roc' in this result; their names begin with dependence
[status 2]
$ samara describe data/iris.csv --plot zz=x.svg
samara: --plot: describe draws no figure 'zz'; it draws distribution-\*, relevance, correlations
[status 2]
$ samara describe data/iris.csv --plot distribution-petal=x.svg
samara: --plot distribution-petal: data/iris.csv has no column 'petal'
[status 2]
$ samara describe data/iris.csv --plot relevance.svg
samara: --plot relevance: name the target with --target
[status 2]

# A name that is asked for must be there, be it the only one; inspect draws what a learner shows.
$ samara train "standardize | klogistic" data/iris.csv -t species -q -o kl.smr; samara inspect kl.smr --plot nosuch=x.svg > /dev/null; ls x.svg
samara: --plot: there is no figure 'nosuch' in this result; there is coefficients
ls: cannot access 'x.svg': No such file or directory
[status 2]
$ samara inspect kl.smr --plot coefficients=x.svg > /dev/null; ls x.svg
x.svg
$ samara train "standardize | svm kernel=rbf" data/iris.csv -t species -q -o sv.smr; samara inspect sv.smr --plot slack.svg --plot multipliers.svg > /dev/null; ls slack.svg multipliers.svg
multipliers.svg
slack.svg
