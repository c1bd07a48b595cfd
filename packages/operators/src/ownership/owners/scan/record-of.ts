import type { ObjectMeta } from '@kubewright/kube';

/** What a DNS name is made of: the line is to be pasted into a shell. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/**
 * The options of `owners plan` for the record of the tool that applies an object, from the annotations and labels that
 * Helm, Argo CD and Flux set. Anybody can set them: what is no name is not one.
 */
export function recordOf({ annotations = {}, labels = {} }: ObjectMeta, manager: string): string | undefined {
  switch (manager) {
    case 'helm':
    case 'helm-controller':
      return option(
        'release',
        annotations['meta.helm.sh/release-name'],
        annotations['meta.helm.sh/release-namespace'],
      );
    case 'argocd-controller':
      return option('application', annotations['argocd.argoproj.io/tracking-id']?.split(':')[0], 'argocd');
    case 'kustomize-controller':
      return option(
        'kustomization',
        labels['kustomize.toolkit.fluxcd.io/name'],
        labels['kustomize.toolkit.fluxcd.io/namespace'],
      );
    default:
      return undefined;
  }
}

function option(record: string, name = '', namespace = ''): string | undefined {
  return NAME.test(name) && NAME.test(namespace) ? `--${record} ${name} -n ${namespace}` : undefined;
}
