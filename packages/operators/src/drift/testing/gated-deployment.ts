import { type ApiError, type Client, isForbidden } from '@kubewright/client';
import { appsv1, corev1, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { expect, vi } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { createPolicy } from './drift-stage.ts';
import { annotationsOf } from './annotations-of.ts';

type Users = {
  readonly admin: Client;
  as(user: { readonly username: string; readonly groups: readonly string[] }): Client;
  readonly namespace: string;
};

/** The controller, which may do everything but what is drift. */
export const CTL = { username: 'ctl', groups: ['system:masters'] };
const LABELS = { app: 'web' };
const WITHIN = { timeout: 30_000 };

/**
 * Where drift is denied: a Deployment that has done what it says, and a ConfigMap of it, both `web`, whose controller is
 * {@link CTL}.
 */
export function gatedDeployment(users: Users) {
  const web = { namespace: users.namespace, name: 'web' };
  const ctl = (): Client => users.as(CTL);
  /** The controller sees the Deployment, and has nothing to do. */
  const observe = async (): Promise<void> => {
    const { generation: observedGeneration = 0 } = (await ctl().get(appsv1.deployments, web)).metadata;
    const conditions = [{ type: 'Available', status: 'True' }];
    const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    const body = { status: { observedGeneration, conditions, ...counts } };
    await ctl().patch(appsv1.deployments, web, { type: 'merge', body }, { subresource: 'status' });
  };
  /** The controller changes the ConfigMap. */
  const paint = (theme: string): Promise<unknown> =>
    ctl().patch(corev1.configmaps, web, { type: 'merge', body: { data: { theme } } });
  return { web, observe, paint, denied, start: () => start(users, web).then(observe) };
}

/** The message with which a write is denied. */
async function denied(write: Promise<unknown>): Promise<string> {
  const error: unknown = await write.catch((reason: unknown) => reason);
  expect(error).toSatisfy(isForbidden);
  return (error as ApiError).message;
}

async function start(users: Users, web: { readonly name: string }): Promise<void> {
  const { admin, namespace } = users;
  await createPolicy(admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
  const ctl = users.as(CTL);
  const metadata = { ...web, namespace };
  const parent: Stored<appsv1.Deployment> = await ctl.create(appsv1.deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  });
  const ownerReferences = [ownerReferenceTo(parent, { controller: true })];
  let tries = 0;
  await vi.waitFor(async () => {
    const wanted = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, ownerReferences },
      data: { theme: `try ${(tries += 1)}` },
    } as const;
    // A server may call a webhook a moment after it is configured.
    const made = await ctl.apply(corev1.configmaps, wanted, { fieldManager: 'ctl' });
    expect(annotationsOf(made)).toHaveProperty([ANNOTATIONS.updaters]);
  }, WITHIN);
}
