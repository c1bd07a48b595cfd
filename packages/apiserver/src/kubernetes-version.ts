/** The Kubernetes release of this API; simulated components of a cluster report it as theirs. */
export const KUBERNETES_VERSION = 'v1.36.2';
