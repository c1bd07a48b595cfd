// What is planted in controllers: one changed default each, as a new release might have it.

/** How Argo Rollouts keeps minReadySeconds of a ReplicaSet. */
const argoSync = (seconds) => `	minReadySecondsNeedsUpdate := rsCopy.Spec.MinReadySeconds != ${seconds}
	affinityNeedsUpdate := replicasetutil.IfInjectedAntiAffinityRuleNeedsUpdate(rsCopy.Spec.Template.Spec.Affinity, *c.rollout)

	if annotationsUpdated || minReadySecondsNeedsUpdate || affinityNeedsUpdate {

		rsCopy.Spec.MinReadySeconds = ${seconds}
`;

/**
 * Name of a controller → what is changed, and how: a text of one of its files, which is there once; or nothing, where the later
 * of its two releases makes something else of the same spec.
 */
export const PLANTS = {
  jobset: {
    about: 'a Job has backoffLimit 3 where the JobSet says nothing',
    file: 'pkg/controllers/jobset_controller.go',
    from: 'job.Spec.Suspend = ptr.To(jobsetSuspended)\n',
    to: 'job.Spec.Suspend = ptr.To(jobsetSuspended)\n\tif job.Spec.BackoffLimit == nil {\n\t\tjob.Spec.BackoffLimit = ptr.To[int32](3)\n\t}\n',
  },
  'cert-manager': {
    about: 'a CertificateRequest is for 100 hours where the Certificate says nothing',
    file: 'pkg/controller/certificates/requestmanager/requestmanager_controller.go',
    from: 'Duration:  crt.Spec.Duration,',
    to: 'Duration:  &metav1.Duration{Duration: 100 * time.Hour},',
  },
  'argo-rollouts': {
    about: 'a ReplicaSet has at least five minReadySeconds',
    file: 'rollout/sync.go',
    from: argoSync('c.rollout.Spec.MinReadySeconds'),
    to: argoSync('max(c.rollout.Spec.MinReadySeconds, 5)'),
  },
  lws: {
    about: 'the StatefulSet of the leaders has minReadySeconds 5',
    file: 'pkg/controllers/leaderworkerset_controller.go',
    from: 'WithPodManagementPolicy(appsv1.ParallelPodManagement).\n',
    to: 'WithPodManagementPolicy(appsv1.ParallelPodManagement).\n\t\t\tWithMinReadySeconds(5).\n',
  },
  'prometheus-operator': {
    about: 'a StatefulSet has minReadySeconds 5 where the Prometheus says nothing',
    file: 'pkg/prometheus/server/statefulset.go',
    from: 'ptr.Deref(p.Spec.MinReadySeconds, 0)',
    to: 'ptr.Deref(p.Spec.MinReadySeconds, 5)',
  },
  kuberay: {
    about: 'the release v1.6.0, whose pods have an environment variable RAY_CLUSTER_NAMESPACE',
    isRelease: true,
  },
  'sealed-secrets': {
    about: 'a Secret is immutable where the SealedSecret says nothing',
    file: 'pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go',
    from: '// Ensure these are set to what we expect\n',
    to: '// Ensure these are set to what we expect\n\tif secret.Immutable == nil {\n\t\tsecret.Immutable = &boolTrue\n\t}\n',
  },
};
