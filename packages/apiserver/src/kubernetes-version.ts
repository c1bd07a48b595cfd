/** The release of Kubernetes whose API this server speaks; parts of a cluster that stand for its programs give it as theirs. */
export const KUBERNETES_VERSION = 'v1.36.2';
