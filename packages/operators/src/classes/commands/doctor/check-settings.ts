import type { appsv1, corev1 } from '@kubewright/kube';
import { MANAGER } from '../../../kit/install-objects.ts';
import type { Environment } from '../../../kit/operator.ts';
import type { Finding } from '../../../kit/report-findings.ts';
import { unreadSettings } from '../../unread-settings.ts';

/** The Deployments that `kubewright install` makes have it. */
export const MANAGERS = { labelSelector: `app.kubernetes.io/name=${MANAGER}` };

type Containers = readonly Pick<corev1.Container, 'env'>[];

/** Settings that have no effect: of this process, and of managers that are installed. */
export function checkSettings(
  own: Environment,
  managers: readonly appsv1.Deployment[],
): readonly Omit<Finding, 'check'>[] {
  return [
    ...unreadOf(own, 'the environment of this command'),
    ...managers.flatMap(({ metadata, spec }) =>
      unreadOf(
        environmentOf(spec?.template.spec?.containers ?? []),
        `Deployment ${metadata.namespace}/${metadata.name}`,
      ),
    ),
  ];
}

function unreadOf(env: Environment, where: string): readonly Omit<Finding, 'check'>[] {
  return unreadSettings(env).map(({ setting, instead }) => ({
    status: 'warning',
    what: `${setting} of ${where} has no effect: ${instead}`,
    fix: `remove ${setting}`,
  }));
}

function environmentOf(containers: Containers): Environment {
  const entries = containers.flatMap(({ env = [] }) =>
    env.map(({ name, value = '' }) => [name, value] as const),
  );
  return Object.fromEntries(entries);
}
