/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean …?": the name that a misspelt word is nearest to. */
#ifndef NEAR_H
#define NEAR_H

/* The nearest of the names that were offered so far. */
struct near {
    const char *word;
    const char *best; /* NULL: none is near. As it was offered */
    unsigned distance;
};

/* Nothing was offered yet; `word` must outlive it. */
struct near near_to(const char *word);

/*
 * Offers a name, which must live as long as `best` is used. A name is near when it takes no more
 * steps to make one out of the other than a third of the word's length, and one at least: a letter
 * that is missing, too much or another one, or two neighbours that changed places (optimal string
 * alignment: L. Boytsov, Indexing Methods for Approximate Dictionary Searching, 2011). Of equally
 * near names the first stays. '-' and '_' are the same, case does not matter.
 */
void near_offer(struct near *near, const char *name);

#endif
