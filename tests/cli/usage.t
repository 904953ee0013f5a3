# A wrong command, option, learner, parameter or column gets the nearest right one.
$ samara trian knn data/iris.csv
samara: there is no command 'trian'; did you mean 'train'?
[status 2]
$ samara train knn data/iris.csv --targt species
samara: there is no option '--targt'; did you mean '--target'?
[status 2]
$ samara train knnn data/iris.csv --target species
samara: there is no learner 'knnn'; did you mean 'knn'?
[status 2]
$ samara train "knn kk=3" data/iris.csv --target species
samara: knn has no parameter 'kk'; did you mean 'k'?
[status 2]
$ samara train "knn 0" data/iris.csv --target species
samara: knn: k = 0 is outside [1, 2147483647]
[status 2]
$ samara train "knn 2.5" data/iris.csv --target species
samara: knn: k = 2.5 is not a whole number in [1, 2147483647]
[status 2]
$ samara train "knn k=3 k=4" data/iris.csv --target species
samara: knn: k is given twice
[status 2]
$ samara train "knn p=3" data/iris.csv --target species
samara: knn: p is used only with metric=minkowski
[status 2]
$ samara train "knn | standardize" data/iris.csv --target species
samara: knn is a learner and can only be at the end of the sentence, not before standardize
[status 2]
$ samara train "standardize |" data/iris.csv --target species
samara: in "standardize |" at character 14: the name of a learner is missing
[status 2]
$ samara train "knn weight='distance" data/iris.csv --target species
samara: in "knn weight='distance" at character 12: this quote is never closed
[status 2]
$ samara train "" data/iris.csv --target species
samara: the model's sentence is empty; try "knn 5"
[status 2]
$ samara train knn data/iris.csv --target specis
samara: data/iris.csv has no column 'specis'; did you mean 'species'?
[status 2]
$ samara train knn data/iris.csv --target 7
samara: there is no column at position 7; data/iris.csv has 5 columns, counted from 0
[status 2]
$ samara train knn data/iris.csv
samara: knn learns from examples with an answer: name its column with --target (a name, a position, or last)
[status 2]
$ samara train knn
samara: train needs more words: samara train SPEC DATA --target COL [-o MODEL]
[status 2]
$ samara train knn data/iris.csv data/wine.csv --target species
samara: train does not know what to do with 'data/wine.csv'; usage: samara train SPEC DATA --target COL [-o MODEL]
[status 2]
$ samara predict --holdout 0.2 a b
samara: predict does not take --holdout; 'samara help predict' lists what it takes
[status 2]
$ samara train knn data/iris.csv --target species --holdout 1.5
samara: --holdout: a share from 0 to below 1
[status 2]
$ samara train knn data/iris.csv --target species --task sort
samara: --task: classify, regress, cluster, sequence, recommend, density or outliers, not 'sort'
[status 2]
$ samara train knn data/iris.csv --target species --threads many
samara: --threads: 'many' is not a whole number >= 0
[status 2]
$ samara train knn data/iris.csv --target species --memory lots
samara: --memory: 'lots' is not a size, such as 500M or 2G
[status 2]
$ samara train ridge data/iris.csv --target species
samara: the target 'species' holds text, and ridge predicts numbers; choose a learner that classifies, such as logistic or knn
[status 1]
$ samara train linear data/iris.csv --target species
read      data/iris.csv: 150 rows, 5 columns, * s
task      classify species: setosa, versicolor, virginica
model     columns unseen=missing dates=days target=as_is | linear fit_intercept=yes solver=exact method=auto
fitted    150 rows, 4 features, * s
measured  on 30 held-out rows that this fit did not see
  accuracy           0.833333 (0.664 to 0.927)    matthews           0.751253
  error              0.166667                     kappa              0.75
  precision          0.835017                     auc                0.941667
  recall             0.833333                     auc_ovo            0.941667
  f1                 0.832916                     average_precision  0.900945
  balanced_accuracy  0.833333
baseline  always 'setosa': accuracy 0.333333
not saved; -o FILE keeps the model
$ samara train knn data/iris.csv --target species --type sepal_width=nmber
samara: column 'sepal_width': 'nmber' is not a type; did you mean 'number'? choose number, category, text, date or ignore
[status 2]
$ samara train knn data/iris.csv --target species --positive rose
samara: the target 'species' has no class 'rose' to be the positive one
[status 2]
$ samara make moon
samara: there is no generator 'moon'; did you mean moons?
[status 2]
$ samara make moons n=-4
samara: moons: n=-4 is outside 1 .. 10000000000
[status 2]
$ samara help ridgee
samara: there is no help on 'ridgee'; did you mean 'ridge'?
[status 2]
$ samara
samara - machine learning in C

  samara train         Fit a model and measure it on held-out rows.
  samara predict       Predict from raw rows.
  samara evaluate      Measure a model on rows with known answers.
  samara cv            Cross-validate: measures with their spread, on rows not used for
                       fitting.
  samara compare       Compare models on the same folds, and tell real differences from
                       noise.
  samara tune          Search for the parameters that predict best, and say how far to
                       trust the result.
  samara curve         Show how the error changes with rows, a parameter, rounds, a
                       threshold or clusters.
  samara explain       Explain a model: which columns matter and how, and why a row is
                       predicted as it is.
  samara trace         Show a learner's method step by step, as a table, pictures or a
                       page with a slider.
  samara bias-variance Estimate bias, variance and noise of a learner by repeated
                       sampling.
  samara stream        Predict, then learn, row by row, from a file or pipe of any size.
  samara inspect       Show what a model learned, in words, tables and trees.
  samara describe      Describe a table: columns, types, gaps, distributions, and what
                       each column tells about a target.
  samara estimate      Estimate the distributions of columns: likelihood, posterior,
                       intervals, fit.
  samara bayes-rule    Compute how probable hypotheses are after what was seen.
  samara make          Generate data: blobs, moons, linear, ...
  samara convert       Convert a table from one file format to another.
  samara split         Split a table into files for training, validation and testing.
  samara list          List every learner, transform, generator, measure, layer and
                       known network.
  samara help          Show this page, or that of a command, a learner or a generator.
  samara loss          Show losses: value, slope, curvature and picture.
  samara matrix        Do linear algebra on a table of numbers.
  samara kernel        Compute the kernel matrix of a table, and check that it is one
                       (Mercer).
  samara belief        Ask a Bayesian network: probabilities given evidence,
                       independence, rows, a picture.
  samara net           Show a network layer by layer: shapes, parameters, work, memory,
                       receptive fields.
  samara graph         Divide a graph that is given by its edges, tell what a division
                       cuts, link rows.
  samara quantize      Reduce a picture to a few colours, or to a few blocks of pixels,
                       by k-means.
  samara filter        Filter a picture with a kernel, as a convolutional layer does.
  samara plot          Draw the figures of a result that was saved with --json.
  samara completion    Print a completion script for the shell.
  samara man           Print the manual page, as troff.

A model is a sentence:  knn 5   standardize | knn 5   poly 3 | ridge 0.1
DATA is CSV or TSV (- for standard input), JSON lines, LIBSVM, ARFF, NPY, IDX or SQLite;
files may be compressed with gzip, zstd or xz.

  samara train "standardize | knn 5" data/iris.csv --target species -o iris.smr
  samara predict iris.smr data/iris.csv --proba

'samara help NAME' explains a command or a learner; 'samara list' names them all.
samara: a command is missing
[status 2]

# Help is there for everything.
$ samara --help | head -3
samara - machine learning in C

  samara train         Fit a model and measure it on held-out rows.
$ samara help train | head -4
samara train SPEC DATA --target COL [-o MODEL]

  Fit a model and measure it on held-out rows.

$ samara knn --help | head -6
knn - k nearest neighbours

  Lets the k nearest training rows vote, or averages their targets.

      P(c) = sum v_i [y_i = c] / sum v_i, or value = sum v_i y_i / sum v_i, over the k
      nearest rows; v_i = 1 or 1/distance
$ samara help moons | head -3
make moons - Two half circles

  (cos a, sin a) and (1 - cos a, 1/2 - sin a), a in [0, pi], with noise.
$ samara help poly
poly - Polynomial features

  Adds powers and products of the features up to a degree.

      all products of features of total degree 1 to degree

/\ \ Terms\ are\ named\ after\ their\ features,\ as\ in\ a\^2\*b\.\ There\ is\ no\ constant\ term,\ as/
  linear learners have an intercept. If the degree is high, put standardize before it.

  does      transform
  takes     double, missing, weights
  gives     transform
  learns    from a stream too (samara stream)

Parameters
  degree          [1, 100], default 2; may be given without its name
                  Highest total degree of a term; the number of terms grows quickly with
                  it.
                  tune searches from 1 to 5; lower is simpler
  interactions    yes or no, default no
                  Only products of different features, no powers.
                  tune tries all its values

What the model keeps
  n_features      Features that come in.

Example
  samara train "standardize | poly 2 | ridge 1" data/diabetes.csv --target progression

Reference
  Gergonne, The application of the method of least squares to the interpolation of
  sequences, 1815

# The shell's completions and the manual page come from the same tables.
$ samara completion bash | bash -n && echo fine
fine
$ (samara completion bash; echo 'try() { COMP_WORDS=(samara "$@"); COMP_CWORD=$#; COMPREPLY=(); _samara; echo "${COMPREPLY[@]}"; }') > complete.sh
$ bash -c '. ./complete.sh; try make spi; try help spi; try cv knn iris.csv --measure log_; try bias-variance tree --generator moo; try explain shap; try curve tr; try list gen; try train elas; try compare --ti'
spirals
spirals
log_loss log_likelihood log_density
moons
shapley
training
generators
elastic
--time-column --time
$ bash -c '. ./complete.sh; try cv knn iris.csv --measure rmse,ma; try tree --generator moo'
rmse,matthews rmse,mae rmse,max_error rmse,mape
moons
$ samara completion zsh | grep -c "measure) compset -P '\*,'; compadd"; samara completion fish | grep -c "l measure .*(__fish_append , accuracy"
1
5
$ samara completion fish | grep -c "l measure .*-xa '.*accuracy .*rmse"; samara completion fish | grep "from make' -a" | grep -o 'moons'; samara completion zsh | grep -A3 'words.CURRENT-1' | grep -o 'accuracy\|moons'
5
moons
accuracy
accuracy
accuracy
moons
$ samara completion tcsh
samara: there is no completion for 'tcsh'; choose bash, zsh or fish
[status 2]
$ samara man | head -1
.TH SAMARA 1 "" "samara 0.1.0" "User Commands"

# What is said twice, or about a column that is not there, is not guessed at.
$ samara train knn data/iris.csv -t species -t sepal_length
samara: --target is given twice
[status 2]
$ samara train knn data/iris.csv -t species --type sepal_widht=category
samara: data/iris.csv has no column 'sepal_widht'; did you mean 'sepal_width'?
[status 2]
$ samara train knn data/iris.csv -t species --weight species
samara: column 'species' is the target; it cannot be the weight too
[status 2]
$ samara train knn data/iris.csv -t species --task regress
samara: the target 'species' holds text, which cannot be predicted as a number; leave out --task regress
[status 2]

# The overview fits a page, in a pipe too.
$ samara help | awk 'length > 90' | wc -l
0
