# The README's commands work as they are written there.
$ samara describe data/wine.csv
data/wine.csv: 178 rows, 14 columns
  format     csv
  delimiter  comma
  header     yes
  columns    13 numbers, 1 category
  missing    0 values in 0 columns

numbers
  name                          missing  distinct      mean        sd    min       q1  median       q3    max
  alcohol                             0       126   13.0006  0.811827  11.03  12.3625   13.05  13.6775  14.83
  malic_acid                          0       133   2.33635   1.11715   0.74   1.6025   1.865   3.0825    5.8
  ash                                 0        79   2.36652  0.274344   1.36     2.21    2.36   2.5575   3.23
  alcalinity_of_ash                   0        63   19.4949   3.33956   10.6     17.2    19.5     21.5     30
  magnesium                           0        53   99.7416   14.2825     70       88      98      107    162
  total_phenols                       0        97   2.29511  0.625851   0.98   1.7425   2.355      2.8   3.88
  flavanoids                          0       132   2.02927  0.998859   0.34    1.205   2.135    2.875   5.08
  nonflavanoid_phenols                0        39  0.361854  0.124453   0.13     0.27    0.34   0.4375   0.66
  proanthocyanins                     0       101    1.5909  0.572359   0.41     1.25   1.555     1.95   3.58
  color_intensity                     0       132   5.05809   2.31829   1.28     3.22    4.69      6.2     13
  hue                                 0        78  0.957449  0.228572   0.48   0.7825   0.965     1.12   1.71
  od280_od315_of_diluted_wines        0       122   2.61169   0.70999   1.27   1.9375    2.78     3.17      4
  proline                             0       121   746.893   314.907    278    500.5   673.5      985   1680

categories
  name      missing  levels  rows by level
  cultivar        0       3  class_0 59, class_1 71, class_2 48

strongest correlations
  a              b                              pearson
  total_phenols  flavanoids                    0.864564
  flavanoids     od280_od315_of_diluted_wines  0.787194
  total_phenols  od280_od315_of_diluted_wines  0.699949
  flavanoids     proanthocyanins               0.652692
  alcohol        proline                        0.64372
  ... and 15 more
$ samara train "standardize | knn 5" data/iris.csv --target species -o iris.smr
read      data/iris.csv: 150 rows, 5 columns, * s
task      classify species: setosa, versicolor, virginica
model     columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | knn k=5 metric=euclidean weight=uniform algorithm=auto
fitted    150 rows, 4 features, * s
measured  on 30 held-out rows that this fit did not see
  accuracy           0.966667 (0.833 to 0.994)    kappa              0.95
  error              0.0333333                    log_loss           0.0794743
  precision          0.969697                     brier              0.0506667
  recall             0.966667                     calibration_error  0.02
  f1                 0.966583                     auc                0.996667
  balanced_accuracy  0.966667                     auc_ovo            0.996667
  matthews           0.951587                     average_precision  0.988384
baseline  always 'setosa': accuracy 0.333333
saved     iris.smr
$ samara predict iris.smr data/iris.csv --proba -o out.csv
wrote     out.csv
$ head -3 out.csv
species,p(setosa),p(versicolor),p(virginica)
setosa,1,0,0
setosa,1,0,0
$ samara evaluate iris.smr data/iris.csv
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
iris.smr on 150 rows of data/iris.csv
  accuracy           0.953333 (0.907 to 0.977)    kappa              0.93
  error              0.0466667                    log_loss           0.0866091
  precision          0.953448                     brier              0.0592
  recall             0.953333                     calibration_error  0.00666667
  f1                 0.953329                     auc                0.996333
  balanced_accuracy  0.953333                     auc_ovo            0.996333
  matthews           0.930062                     average_precision  0.990523
baseline  always 'setosa' (of the measured rows): accuracy 0.333333

classes
  class          precision    recall        f1  rows
  setosa                 1         1         1    50
  versicolor      0.921569      0.94  0.930693    50
  virginica       0.938776      0.92  0.929293    50
  mean            0.953448  0.953333  0.953329     -
  weighted mean   0.953448  0.953333  0.953329     -

confusion: a row is the true class, a column the predicted one
                  setosa  versicolor   virginica
  setosa              50           0           0
  versicolor           0          47           3
  virginica            0           4          46
$ samara inspect iris.smr
command    inspect
model      iris.smr
spec       columns unseen=missing dates=days target=as_is | standardize center=yes scale=yes | knn k=5 metric=euclidean weight=uniform algorithm=auto
task       classify
rows       150
features   4
seed       0
data_hash  3b40e7411b57af5f2c3f27604ee37a3d
target    species
classes   setosa, versicolor, virginica

measured when it was trained
   measured_on        holdout
   measured_rows      30
   accuracy           0.966667
   error              0.0333333
   precision          0.969697
   recall             0.966667
   f1                 0.966583
   balanced_accuracy  0.966667
   matthews           0.951587
   kappa              0.95
   log_loss           0.0794743
   brier              0.0506667
   calibration_error  0.02
   auc                0.996667
   auc_ovo            0.996667
   average_precision  0.988384

0  columns unseen=missing dates=days target=as_is  (inserted)
   columns
     name          kind
     sepal_length  number
     sepal_width   number
     petal_length  number
     petal_width   number

1  standardize center=yes scale=yes
   features
     feature          mean        sd
     sepal_length  5.84333  0.825301
     sepal_width   3.05733  0.434411
     petal_length    3.758    1.7594
     petal_width   1.19933  0.759693

2  knn k=5 metric=euclidean weight=uniform algorithm=auto
   rows          150
   features      4
   k             5
   metric        euclidean
   algorithm     tree
   stored_as     double
   stored_bytes  4800
   search_bytes  1088
   tree
     leaves            10
     points_in_a_leaf  16
     levels            1
   class_weights  50, 50, 50
$ samara make moons n=500 noise=0.2 --seed 1 -o moons.csv
moons.csv: 500 rows, 3 columns
generator: moons
seed: 1
least error, estimated: 0.02574566090979004
its standard error: 0.003379059903852727
$ samara convert moons.csv moons.npy
wrote     moons.npy
$ samara train "boost 300 patience=20" data/breast_cancer.csv --target diagnosis -o boost.smr
read      data/breast_cancer.csv: 569 rows, 31 columns, * s
task      classify diagnosis: benign, malignant
model     columns unseen=missing dates=days target=as_is | boost rounds=300 rate=0.1 loss=auto growth=leaf max_leaves=31 max_depth=0 min_child=1 min_gain=0 l1=0 l2=1 sampling=uniform rows=1 columns=1 features=1 smooth=10 monotone='' max_bins=255 patience=20 validation=0.1 class_weight=none
fitted    569 rows, 30 features, * s, 73 iterations
measured  on 114 held-out rows that this fit did not see
  accuracy           0.964912 (0.913 to 0.986)    kappa              0.924628
  error              0.0350877                    log_loss           0.104779
  precision          0.97561 (0.874 to 0.996)     brier              0.0296942
  recall             0.930233 (0.814 to 0.976)    calibration_error  0.0360271
  f1                 0.952381                     auc                0.992466 (0.97 to 0.998)
  balanced_accuracy  0.958074                     average_precision  0.989407
  matthews           0.925285
baseline  always 'benign': accuracy 0.622807
saved     boost.smr
$ samara explain shapley boost.smr data/breast_cancer.csv --rows 3
samara: warning: these are the rows that the model was fitted on: what is shown is what the model leans on, not what generalises; explain it on other rows
boost.smr, data/breast_cancer.csv: shapley

score(malignant), log-odds: -1.37724 before any column is known; what each adds, over all rows
  column                    mean_size          mean
  worst_area                  1.23455     -0.154289
  worst_perimeter            0.983459    -0.0280948
  worst_concave_points       0.897544      0.244302
  mean_concave_points        0.531935     -0.100903
  worst_texture              0.395636    -0.0491143
  area_error                 0.248376      0.110427
  worst_concavity            0.241557    -0.0648846
  mean_texture               0.167145    -0.0189382
  mean_concavity             0.102792     -0.014452
  worst_radius              0.0879342     0.0302992
  mean_smoothness           0.0674961    0.00350974
  compactness_error         0.0584954    -0.0135305
  radius_error              0.0534255    0.00953597
  worst_smoothness          0.0530792   -0.00308672
  worst_symmetry            0.0368742   -0.00432738
  texture_error             0.0328205   -0.00174745
  fractal_dimension_error   0.0276414   -0.00149711
  mean_fractal_dimension    0.0262711   -0.00665339
  symmetry_error            0.0260571  -0.000949428
  smoothness_error          0.0227364   -0.00170883
  mean_area                 0.0225228     0.0141969
  worst_fractal_dimension    0.014147  -0.000820932
  worst_compactness         0.0120339   0.000939886
  concave_points_error     0.00835848   -0.00263927
  mean_symmetry            0.00763115   -0.00031657
  mean_compactness         0.00733182     0.0020717
  mean_radius              0.00619084    0.00205849
  perimeter_error          0.00559925    0.00314441
  mean_perimeter           0.00276257    0.00149849
  concavity_error           0.0016362    1.39363e-5

and row by row
  row    score  largest            second                  third
    1  2.93718  worst_area +1.574  worst_texture -1.229    worst_concave_points +1.211
    2  4.70213  worst_area +1.953  worst_perimeter +1.626  worst_concave_points +1.293
    3  5.07562  worst_area +1.568  worst_perimeter +1.382  worst_concave_points +1.369
  ... and 566 more

# JSON says what the text says.
$ samara train "poly 2 | ridge path=30" data/diabetes.csv --target progression --json
{
  "json_version": 1,
  "command": "train",
  "data": "data/diabetes.csv",
  "spec": "columns unseen=missing dates=days target=as_is | poly degree=2 interactions=no | ridge path=30 fit_intercept=yes",
  "task": "regress",
  "target": ["progression"],
  "features": 10,
  "columns": 11,
  "rows": 442,
  "seed": 0,
  "threads": *,
  "read_seconds": *,
  "fit_seconds": *,
  "fit": {
    "iterations": 0,
    "objective": 609896.3350580259,
    "converged": true
  },
  "measures": {
    "mse": 3062.99077835585,
    "rmse": 55.34429309654113,
    "mae": 41.21875015417504,
    "median_ae": 33.66003780155464,
    "max_error": 141.17315590713312,
    "r2": 0.4655944327902364,
    "explained_variance": 0.46566152059807997,
    "mape": 0.37333820539001666
  },
  "intervals": {
    "confidence": 0.95,
    "mae": [33.348668861055565, 49.08883144729452],
    "mse": [2133.339988039983, 3992.6415686717173],
    "rmse": [46.188093574426546, 63.187352917112435]
  },
  "baseline": {
    "what": "always the mean",
    "from": "the fitted rows",
    "value": 151.85028248587588,
    "rmse": 75.7205920467837,
    "mae": 64.10914227015925
  },
  "advice": [],
  "predict_seconds": *,
  "measured_on": "holdout",
  "measured_rows": 88,
  "peak_memory_bytes": *,
  "model": null,
  "warnings": [],
  "figures": [
    {
      "name": "predicted",
      "title": "Predicted against actual",
      "x": {
        "label": "actual",
        "scale": "linear",
        "equal": true
      },
      "y": {
        "label": "predicted",
        "scale": "linear"
      },
      "series": [
        {
          "name": "rows",
          "kind": "points",
          "x": [
            151, 206, 85, 265, 252, 100, 61, 75, 142, 128, 71, 150, 111, 170, 113, 134, 48, 162, 92,
            95, 232, 81, 258, 121, 280, 235, 259, 96, 71, 186, 25, 195, 101, 151, 64, 292, 72, 77,
            70, 65, 214, 185, 77, 108, 220, 72, 215, 310, 50, 115, 230, 181, 80, 332, 129, 124, 142,
            237, 96, 214, 139, 88, 148, 243, 109, 311, 281, 321, 63, 168, 217, 219, 277, 63, 118,
            69, 242, 175, 168, 72, 140, 189, 209, 136, 120, 94, 104, 132
          ],
          "y": [
            211.19139991193003, 164.50718884782023, 174.6235254462536, 211.01247120452638,
            254.48329269861472, 161.1885126172092, 136.7516752039615, 80.92707470907038,
            172.21524917968298, 91.2675894491909, 130.67164454186866, 146.57013771501448,
            108.27062774802067, 174.30505650078914, 112.92716547676497, 164.38894899241944,
            178.782520284888, 125.32639296817888, 122.92325273225384, 157.66808635655013,
            226.79551536115986, 170.82822839286973, 297.29034478985454, 155.77441959423822,
            230.1374880885698, 172.9611821220912, 255.58089488127973, 114.21610604584805,
            121.26540334517853, 203.3584364173372, 134.47064399165777, 236.46942604994126,
            85.50335943267305, 167.62521953856867, 70.12159940179532, 178.13892196523372,
            89.5879794572594, 178.58512673390766, 193.01064193491885, 105.03165241669456,
            124.42918599267227, 123.03390044595614, 97.82684715122298, 101.87316880934486,
            156.39353491623092, 65.32976746954995, 245.53805441005449, 259.7101539455032,
            136.4173224192993, 111.75181568286189, 113.12423190282152, 85.09502375398591,
            74.80643021397498, 234.18172275062474, 119.76980307164206, 117.47380664339914,
            140.26564280782338, 219.48102320357094, 86.84794310245326, 120.86457460100974,
            179.05470534731012, 96.57824334746988, 115.45434399112895, 248.38343686824032,
            189.0540368781185, 169.82684409286688, 182.90450818748758, 243.94330854021615,
            61.737905292826326, 132.41109884672113, 177.83387668257592, 132.945970798159,
            257.11891261836723, 66.30419296297407, 105.65916796422366, 103.9285114997011,
            158.21721032016097, 183.8264185164884, 177.32059473727216, 71.51535477228771,
            161.015073566628, 202.4585587625029, 157.84412785504844, 155.9914421915753,
            165.9987303987332, 101.88913208965704, 102.18773976396506, 131.05972056542151
          ]
        }
      ],
      "marks": [{"kind": "diagonal", "at": 0, "label": "perfect"}]
    },
    {
      "name": "residuals",
      "title": "Residuals against predictions",
      "x": {
        "label": "predicted",
        "scale": "linear"
      },
      "y": {
        "label": "actual - predicted",
        "scale": "linear"
      },
      "series": [
        {
          "name": "rows",
          "kind": "points",
          "x": [
            211.19139991193003, 164.50718884782023, 174.6235254462536, 211.01247120452638,
            254.48329269861472, 161.1885126172092, 136.7516752039615, 80.92707470907038,
            172.21524917968298, 91.2675894491909, 130.67164454186866, 146.57013771501448,
            108.27062774802067, 174.30505650078914, 112.92716547676497, 164.38894899241944,
            178.782520284888, 125.32639296817888, 122.92325273225384, 157.66808635655013,
            226.79551536115986, 170.82822839286973, 297.29034478985454, 155.77441959423822,
            230.1374880885698, 172.9611821220912, 255.58089488127973, 114.21610604584805,
            121.26540334517853, 203.3584364173372, 134.47064399165777, 236.46942604994126,
            85.50335943267305, 167.62521953856867, 70.12159940179532, 178.13892196523372,
            89.5879794572594, 178.58512673390766, 193.01064193491885, 105.03165241669456,
            124.42918599267227, 123.03390044595614, 97.82684715122298, 101.87316880934486,
            156.39353491623092, 65.32976746954995, 245.53805441005449, 259.7101539455032,
            136.4173224192993, 111.75181568286189, 113.12423190282152, 85.09502375398591,
            74.80643021397498, 234.18172275062474, 119.76980307164206, 117.47380664339914,
            140.26564280782338, 219.48102320357094, 86.84794310245326, 120.86457460100974,
            179.05470534731012, 96.57824334746988, 115.45434399112895, 248.38343686824032,
            189.0540368781185, 169.82684409286688, 182.90450818748758, 243.94330854021615,
            61.737905292826326, 132.41109884672113, 177.83387668257592, 132.945970798159,
            257.11891261836723, 66.30419296297407, 105.65916796422366, 103.9285114997011,
            158.21721032016097, 183.8264185164884, 177.32059473727216, 71.51535477228771,
            161.015073566628, 202.4585587625029, 157.84412785504844, 155.9914421915753,
            165.9987303987332, 101.88913208965704, 102.18773976396506, 131.05972056542151
          ],
          "y": [
            -60.191399911930034, 41.49281115217977, -89.62352544625361, 53.98752879547362,
            -2.4832926986147186, -61.1885126172092, -75.7516752039615, -5.927074709070382,
            -30.215249179682985, 36.73241055080911, -59.67164454186866, 3.429862284985518,
            2.7293722519793278, -4.305056500789135, 0.0728345232350307, -30.388948992419444,
            -130.782520284888, 36.67360703182112, -30.923252732253843, -62.668086356550134,
            5.2044846388401425, -89.82822839286973, -39.290344789854544, -34.774419594238225,
            49.862511911430204, 62.0388178779088, 3.4191051187202675, -18.21610604584805,
            -50.26540334517853, -17.358436417337202, -109.47064399165777, -41.46942604994126,
            15.49664056732695, -16.625219538568672, -6.121599401795322, 113.86107803476628,
            -17.587979457259394, -101.58512673390766, -123.01064193491885, -40.031652416694556,
            89.57081400732773, 61.966099554043865, -20.826847151222978, 6.126831190655139,
            63.60646508376908, 6.6702325304500505, -30.538054410054485, 50.28984605449682,
            -86.4173224192993, 3.2481843171381115, 116.87576809717848, 95.90497624601409,
            5.193569786025023, 97.81827724937526, 9.230196928357941, 6.5261933566008565,
            1.734357192176617, 17.518976796429058, 9.152056897546743, 93.13542539899026,
            -40.05470534731012, -8.57824334746988, 32.54565600887105, -5.383436868240324,
            -80.0540368781185, 141.17315590713312, 98.09549181251242, 77.05669145978385,
            1.2620947071736737, 35.58890115327887, 39.16612331742408, 86.05402920184099,
            19.881087381632767, -3.3041929629740707, 12.340832035776344, -34.9285114997011,
            83.78278967983903, -8.826418516488388, -9.32059473727216, 0.4846452277122921,
            -21.01507356662799, -13.45855876250289, 51.15587214495156, -19.99144219157529,
            -45.99873039873319, -7.889132089657039, 1.8122602360349447, 0.9402794345784855
          ]
        }
      ],
      "marks": [{"kind": "hline", "at": 0}]
    },
    {
      "name": "residual_histogram",
      "title": "Histogram of the residuals",
      "x": {
        "label": "actual - predicted",
        "scale": "linear"
      },
      "y": {
        "label": "rows",
        "scale": "linear",
        "min": 0
      },
      "series": [
        {
          "name": "rows",
          "kind": "step",
          "x": [
            -130.782520284888, -100.565222930219, -70.34792557554998, -40.130628220880965,
            -9.913330866211965, 20.303966488457064, 50.521263843126064, 80.73856119779506,
            110.95585855246406, 141.1731559071331
          ],
          "y": [4, 5, 7, 17, 31, 8, 6, 7, 3, 3]
        }
      ],
      "marks": [{"kind": "vline", "at": 0}]
    },
    {
      "name": "normal_quantiles",
      "title": "Normal Q-Q plot of the residuals",
      "note": "Normally distributed errors lie on the diagonal; ends that bend away from it mean more large errors than a normal distribution has.",
      "x": {
        "label": "normal quantile",
        "scale": "linear"
      },
      "y": {
        "label": "residual, in standard deviations",
        "scale": "linear"
      },
      "series": [
        {
          "name": "residuals",
          "kind": "points",
          "x": [
            -2.5313130908994506, -2.1189947682877466, -1.9047068981567323, -1.753329558787971,
            -1.6339339161209492, -1.5341205443525452, -1.4476059980540612, -1.3707447309675547,
            -1.3012239250892592, -1.2374795794240123, -1.1784020429997184, -1.123173920626966,
            -1.0711746468263739, -1.021921233492304, -0.975029847808111, -0.9301899831968253,
            -0.8871465590188761, -0.845687187226574, -0.8056329073051868, -0.7668313098951856,
            -0.7291513430522925, -0.6924793276482197, -0.6567158572059733, -0.6217733550157324,
            -0.5875741267466343, -0.5540487914423361, -0.5211350048641161, -0.4887764111146694,
            -0.4569217742376339, -0.4255242529495349, -0.3945407900989983, -0.3639315947310394,
            -0.33365969936120443, -0.30369057865445626, -0.27399181845380055, -0.24453282622639824,
            -0.21528457564427494, -0.18621937930523474, -0.1573106846101707, -0.12853288860722628,
            -0.09986116823716355, -0.07127132290229456, -0.042739626659217204,
            -0.014242687622589798, 0.014242687622589937, 0.04273962665921734, 0.0712713229022947,
            0.09986116823716355, 0.12853288860722628, 0.1573106846101707, 0.18621937930523474,
            0.21528457564427494, 0.24453282622639813, 0.2739918184538004, 0.30369057865445614,
            0.3336596993612046, 0.36393159473103964, 0.39454079009899845, 0.4255242529495349,
            0.4569217742376339, 0.4887764111146694, 0.5211350048641161, 0.5540487914423361,
            0.5875741267466341, 0.6217733550157322, 0.6567158572059729, 0.6924793276482197,
            0.7291513430522925, 0.7668313098951857, 0.8056329073051867, 0.845687187226574,
            0.8871465590188761, 0.9301899831968253, 0.975029847808111, 1.021921233492304,
            1.0711746468263739, 1.1231739206269655, 1.1784020429997186, 1.2374795794240128,
            1.3012239250892594, 1.370744730967555, 1.4476059980540614, 1.5341205443525452,
            1.6339339161209494, 1.7533295587879691, 1.9047068981567328, 2.1189947682877457,
            2.5313130908994474
          ],
          "y": [
            -2.3744248593137836, -2.2339882254501457, -1.9893225670279802, -1.8468324957627176,
            -1.6343871700199495, -1.6306882195899226, -1.5727526292071086, -1.4577690484720678,
            -1.3800260417013899, -1.1436076247052478, -1.1168719571935577, -1.0988542855823407,
            -1.0894623868267124, -0.9194930703386476, -0.8423949533309085, -0.7605511277014451,
            -0.7349873444835171, -0.7345707816102247, -0.721175468008685, -0.6423578183801445,
            -0.639573401597691, -0.5699834149574055, -0.5630229411435282, -0.5603286294211143,
            -0.557189900801726, -0.3909441573828382, -0.3875429353109817, -0.372447297530396,
            -0.3403672493032684, -0.3290170994721157, -0.32486929241674317, -0.3116201773753755,
            -0.25439910932038445, -0.1796267425148049, -0.1706970550110623, -0.16621256827876066,
            -0.15376043495308178, -0.12182139399675566, -0.11830636303261845, -0.10848291174205972,
            -0.08899674610617073, -0.0709112975339915, -0.05607775734291839, -0.009888935722310076,
            -0.002447580296818917, 0.005785659005707084, 0.01160081096435256, 0.020134520668410615,
            0.021542216563089456, 0.03811428815188832, 0.047489141534537, 0.05057765385428633,
            0.0507720341767999, 0.08264195460176654, 0.0828391842957283, 0.0995058431341475,
            0.1067222554031495, 0.10932502088775857, 0.15417120147127195, 0.1555831796833562,
            0.21179187261350638, 0.2688168422967848, 0.3053601436412676, 0.34804311479212136,
            0.5768899015346655, 0.6318808683070923, 0.6514813349452737, 0.6525439053940304,
            0.6965207168344368, 0.738563604390167, 0.8898027962748079, 0.8975246578229259,
            0.9131736146779998, 0.9643412102514024, 1.1085127438139304, 1.1098267526241476,
            1.1381538939872946, 1.381197394141789, 1.5027369435950442, 1.543777888757198,
            1.6073256436068746, 1.6717376174354477, 1.7217829707922405, 1.7563560225540495,
            1.7613652466247167, 2.0462469393430642, 2.100721920221916, 2.5397719416009794
          ]
        }
      ],
      "marks": [{"kind": "diagonal", "at": 0, "label": "normal"}]
    }
  ]
}

# Words may come in any order, and a model may be trained without being kept.
$ samara data/iris.csv train knn -t last -q
samara: there is no command 'data/iris.csv'; 'samara help' lists them
[status 2]
$ samara train data/iris.csv "knn 3" --target=species --quiet
measured  on 30 held-out rows that this fit did not see
  accuracy           0.966667 (0.833 to 0.994)    kappa              0.95
  error              0.0333333                    log_loss           0.0501359
  precision          0.969697                     brier              0.037037
  recall             0.966667                     calibration_error  0.0111111
  f1                 0.966583                     auc                0.998333
  balanced_accuracy  0.966667                     auc_ovo            0.998333
  matthews           0.951587                     average_precision  0.993939
baseline  always 'setosa': accuracy 0.333333
$ samara --seed 3 train knn data/iris.csv -t species --holdout 0 | tail -3
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
  matthews           0.950063                     average_precision  0.995473
baseline  always 'setosa': accuracy 0.333333
not saved; -o FILE keeps the model
