/* Instances of the Gaussian mixture objective: read from a file, or generated from a seed. */
#ifndef LOAD_GMM_H
#define LOAD_GMM_H

typedef struct gmm_instance {
    int d, k, n, m;
    double gamma;
    double *alphas, *means, *icf, *x;
} gmm_instance;

/* Reads `d k n`, alphas, means, icf, points, `gamma m`. Ends the program with a message if the file is not that. */
gmm_instance gmm_load(const char *file);

/* The same numbers for the same arguments, everywhere: points around k random centres. */
gmm_instance gmm_generate(int d, int k, int n, unsigned long long seed);

void gmm_free(gmm_instance *instance);

#endif
