/** Label of a pod and of a revision: the hash of the template. */
export const HASH = 'controller-revision-hash';

/** The number of the template, of old: an annotation of the set, a label of its pods. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
export const POD_GENERATION = 'pod-template-generation';
