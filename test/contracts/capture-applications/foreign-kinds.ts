import { customResource, s } from '@kubewright/kube';

const schema = s.object({ spec: s.optional(s.anyObject()), status: s.optional(s.anyObject()) });

function foreign(group: string, version: string, kind: string, plural: string) {
  return customResource({ group, version, kind, plural, scope: 'Namespaced', schema });
}

export const CERTIFICATES = foreign('cert-manager.io', 'v1', 'Certificate', 'certificates');
export const SCALED_OBJECTS = foreign('keda.sh', 'v1alpha1', 'ScaledObject', 'scaledobjects');
export const KUSTOMIZATIONS = foreign('kustomize.toolkit.fluxcd.io', 'v1', 'Kustomization', 'kustomizations');
export const APPLICATIONS = foreign('argoproj.io', 'v1alpha1', 'Application', 'applications');
export const WIDGETS = foreign('widgets.example.com', 'v1', 'Widget', 'widgets');

/** Kinds of other projects, whose objects have any fields here. */
export const FOREIGN_KINDS = [
  CERTIFICATES,
  SCALED_OBJECTS,
  KUSTOMIZATIONS,
  APPLICATIONS,
  WIDGETS,
  foreign('cert-manager.io', 'v1', 'Issuer', 'issuers'),
  foreign('keda.sh', 'v1alpha1', 'TriggerAuthentication', 'triggerauthentications'),
  foreign('source.toolkit.fluxcd.io', 'v1', 'GitRepository', 'gitrepositories'),
  foreign('argoproj.io', 'v1alpha1', 'AppProject', 'appprojects'),
];
