# The README's commands work as they stand there.
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
$ samara convert moons.csv moons.npy
wrote     moons.npy
$ samara train "boost 300 patience=20" data/breast_cancer.csv --target diagnosis -o boost.smr
read      data/breast_cancer.csv: 569 rows, 31 columns, * s
task      classify diagnosis: benign, malignant
model     columns unseen=missing dates=days target=as_is | boost rounds=300 rate=0.1 loss=auto growth=leaf max_leaves=31 max_depth=0 min_leaf=1 min_child=1 min_gain=0 l1=0 l2=1 sampling=uniform rows=1 columns=1 features=1 smooth=10 monotone='' max_bins=255 patience=20 validation=0.1 class_weight=none
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
  column                mean_size        mean
  worst_area              1.23455   -0.154289
  worst_perimeter        0.983459  -0.0280948
  worst_concave_points   0.897544    0.244302
  ... and 27 more

and row by row
  row    score  largest            second                  third
    1  2.93718  worst_area +1.574  worst_texture -1.229    worst_concave_points +1.211
    2  4.70213  worst_area +1.953  worst_perimeter +1.626  worst_concave_points +1.293
    3  5.07562  worst_area +1.568  worst_perimeter +1.382  worst_concave_points +1.369
  ... and 566 more

# JSON says what the text says.
$ samara train "poly 2 | ridge path=30" data/diabetes.csv --target progression --json
{
  "command": "train",
  "data": "data/diabetes.csv",
  "spec": "columns unseen=missing dates=days target=as_is | poly degree=2 interactions=no | ridge l2=1 path=30 fit_intercept=yes",
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
    "objective": 609896.335058027,
    "converged": true
  },
  "measures": {
    "mse": 3062.990778355843,
    "rmse": 55.344293096541065,
    "mae": 41.218750154175,
    "median_ae": 33.66003780155427,
    "max_error": 141.17315590713304,
    "r2": 0.4655944327902376,
    "explained_variance": 0.4656615205980812,
    "mape": 0.3733382053900158
  },
  "intervals": {
    "confidence": 0.95,
    "mae": [33.348668861055536, 49.08883144729446],
    "mse": [2133.339988039976, 3992.641568671708],
    "rmse": [46.188093574426475, 63.18735291711236]
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
            211.19139991192975, 164.50718884781998, 174.62352544625298, 211.01247120452683,
            254.48329269861517, 161.18851261720897, 136.7516752039612, 80.92707470907067,
            172.2152491796828, 91.26758944919095, 130.67164454186832, 146.5701377150141,
            108.27062774802101, 174.3050565007884, 112.9271654767648, 164.38894899242007,
            178.78252028488828, 125.32639296817825, 122.9232527322539, 157.66808635655002,
            226.79551536115952, 170.82822839286914, 297.2903447898547, 155.77441959423788,
            230.13748808856963, 172.96118212209188, 255.58089488127973, 114.21610604584811,
            121.26540334517824, 203.35843641733754, 134.4706439916573, 236.4694260499412,
            85.50335943267288, 167.6252195385684, 70.12159940179527, 178.13892196523335,
            89.58797945725951, 178.58512673390717, 193.01064193491823, 105.03165241669461,
            124.42918599267233, 123.03390044595562, 97.82684715122281, 101.87316880934509,
            156.3935349162316, 65.32976746955, 245.53805441005466, 259.7101539455032,
            136.41732241929878, 111.75181568286206, 113.1242319028214, 85.09502375398574,
            74.80643021397503, 234.1817227506246, 119.76980307164166, 117.47380664339909,
            140.26564280782384, 219.48102320357077, 86.8479431024532, 120.86457460100968,
            179.05470534731103, 96.57824334746994, 115.45434399112935, 248.38343686824015,
            189.05403687811759, 169.82684409286696, 182.90450818748718, 243.94330854021575,
            61.737905292826554, 132.41109884672056, 177.83387668257626, 132.9459707981586,
            257.1189126183672, 66.30419296297384, 105.6591679642234, 103.92851149970082,
            158.2172103201611, 183.82641851648862, 177.3205947372719, 71.51535477228785,
            161.0150735666275, 202.45855876250278, 157.8441278550485, 155.99144219157495,
            165.99873039873268, 101.88913208965755, 102.18773976396506, 131.0597205654213
          ]
        }
      ],
      "marks": [{"kind": "diagonal", "at": 0, "label": "perfect"}]
    },
    {
      "name": "residuals",
      "title": "Residuals against predicted",
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
            211.19139991192975, 164.50718884781998, 174.62352544625298, 211.01247120452683,
            254.48329269861517, 161.18851261720897, 136.7516752039612, 80.92707470907067,
            172.2152491796828, 91.26758944919095, 130.67164454186832, 146.5701377150141,
            108.27062774802101, 174.3050565007884, 112.9271654767648, 164.38894899242007,
            178.78252028488828, 125.32639296817825, 122.9232527322539, 157.66808635655002,
            226.79551536115952, 170.82822839286914, 297.2903447898547, 155.77441959423788,
            230.13748808856963, 172.96118212209188, 255.58089488127973, 114.21610604584811,
            121.26540334517824, 203.35843641733754, 134.4706439916573, 236.4694260499412,
            85.50335943267288, 167.6252195385684, 70.12159940179527, 178.13892196523335,
            89.58797945725951, 178.58512673390717, 193.01064193491823, 105.03165241669461,
            124.42918599267233, 123.03390044595562, 97.82684715122281, 101.87316880934509,
            156.3935349162316, 65.32976746955, 245.53805441005466, 259.7101539455032,
            136.41732241929878, 111.75181568286206, 113.1242319028214, 85.09502375398574,
            74.80643021397503, 234.1817227506246, 119.76980307164166, 117.47380664339909,
            140.26564280782384, 219.48102320357077, 86.8479431024532, 120.86457460100968,
            179.05470534731103, 96.57824334746994, 115.45434399112935, 248.38343686824015,
            189.05403687811759, 169.82684409286696, 182.90450818748718, 243.94330854021575,
            61.737905292826554, 132.41109884672056, 177.83387668257626, 132.9459707981586,
            257.1189126183672, 66.30419296297384, 105.6591679642234, 103.92851149970082,
            158.2172103201611, 183.82641851648862, 177.3205947372719, 71.51535477228785,
            161.0150735666275, 202.45855876250278, 157.8441278550485, 155.99144219157495,
            165.99873039873268, 101.88913208965755, 102.18773976396506, 131.0597205654213
          ],
          "y": [
            -60.19139991192975, 41.492811152180025, -89.62352544625298, 53.98752879547317,
            -2.4832926986151733, -61.18851261720897, -75.75167520396121, -5.927074709070666,
            -30.215249179682786, 36.73241055080905, -59.67164454186832, 3.4298622849858873,
            2.7293722519789867, -4.305056500788396, 0.07283452323520123, -30.38894899242007,
            -130.78252028488828, 36.673607031821746, -30.9232527322539, -62.66808635655002,
            5.2044846388404835, -89.82822839286914, -39.290344789854714, -34.774419594237884,
            49.862511911430374, 62.038817877908116, 3.4191051187202675, -18.216106045848107,
            -50.26540334517824, -17.358436417337543, -109.47064399165731, -41.469426049941205,
            15.49664056732712, -16.625219538568388, -6.121599401795265, 113.86107803476665,
            -17.587979457259507, -101.58512673390717, -123.01064193491823, -40.03165241669461,
            89.57081400732767, 61.966099554044376, -20.826847151222807, 6.1268311906549116,
            63.6064650837684, 6.670232530449994, -30.538054410054656, 50.28984605449682,
            -86.41732241929878, 3.248184317137941, 116.8757680971786, 95.90497624601426,
            5.193569786024966, 97.8182772493754, 9.230196928358339, 6.526193356600913,
            1.7343571921761622, 17.51897679642923, 9.1520568975468, 93.13542539899032,
            -40.05470534731103, -8.578243347469936, 32.54565600887065, -5.383436868240153,
            -80.05403687811759, 141.17315590713304, 98.09549181251282, 77.05669145978425,
            1.2620947071734463, 35.58890115327944, 39.16612331742374, 86.05402920184139,
            19.881087381632824, -3.3041929629738434, 12.3408320357766, -34.92851149970082,
            83.78278967983891, -8.826418516488616, -9.320594737271904, 0.48464522771215,
            -21.015073566627507, -13.458558762502776, 51.1558721449515, -19.991442191574947,
            -45.998730398732675, -7.889132089657551, 1.8122602360349447, 0.9402794345787129
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
            -130.78252028488828, -100.56522293021925, -70.34792557555022, -40.13062822088118,
            -9.91333086621215, 20.303966488456894, 50.52126384312592, 80.73856119779498,
            110.95585855246398, 141.17315590713304
          ],
          "y": [4, 5, 7, 17, 31, 8, 6, 7, 3, 3]
        }
      ],
      "marks": [{"kind": "vline", "at": 0}]
    },
    {
      "name": "normal_quantiles",
      "title": "Residuals beside a normal distribution",
      "note": "Normal errors lie on the diagonal; ends that leave it are errors larger than a normal distribution has.",
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
            -2.3744248593137938, -2.2339882254501386, -1.989322567027976, -1.8468324957627127,
            -1.6343871700199424, -1.6306882195899148, -1.572752629207103, -1.457769048472055,
            -1.380026041701388, -1.1436076247052491, -1.1168719571935568, -1.0988542855823387,
            -1.0894623868267095, -0.9194930703386455, -0.8423949533309022, -0.7605511277014468,
            -0.7349873444835362, -0.7345707816102285, -0.7211754680086908, -0.6423578183801419,
            -0.6395734015976875, -0.5699834149574089, -0.5630229411435338, -0.560328629421128,
            -0.5571899008017248, -0.39094415738283167, -0.3875429353109808, -0.37244729753039196,
            -0.3403672493032715, -0.3290170994721199, -0.3248692924167514, -0.3116201773753724,
            -0.25439910932038445, -0.17962674251480223, -0.17069705501106838, -0.16621256827876366,
            -0.15376043495309294, -0.12182139399675651, -0.11830636303262546, -0.1084829117420585,
            -0.0889967461061592, -0.07091129753398921, -0.05607775734292839, -0.009888935722308725,
            -0.0024475802968232053, 0.005785659005709483, 0.011600810964346748,
            0.020134520668400706, 0.021542216563087767, 0.03811428815188049, 0.04748914153453226,
            0.05057765385428468, 0.050772034176804925, 0.0826419546017639, 0.08283918429573285,
            0.0995058431341418, 0.10672225540314895, 0.10932502088775596, 0.15417120147127145,
            0.15558317968336186, 0.21179187261350954, 0.26881684229678654, 0.3053601436412694,
            0.3480431147921212, 0.5768899015346574, 0.6318808683071017, 0.651481334945284,
            0.6525439053940285, 0.6965207168344297, 0.7385636043901708, 0.8898027962748103,
            0.8975246578229253, 0.9131736146779982, 0.9643412102513935, 1.1085127438139393,
            1.109826752624135, 1.138153893987282, 1.3811973941417963, 1.5027369435950426,
            1.5437778887572058, 1.6073256436068741, 1.6717376174354495, 1.7217829707922443,
            1.7563560225540527, 1.7613652466247245, 2.046246939343072, 2.100721920221919,
            2.539771941600979
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
$ samara --seed 3 train knn data/iris.csv -t species --holdout 0 | tail -3
samara: warning: these are the rows that the model was fitted on: the figures flatter it; measure on other rows, or with samara cv
  matthews           0.950063                     average_precision  0.995473
baseline  always 'setosa': accuracy 0.333333
not saved; -o FILE keeps the model
