import type { Client, Discovered, ResourceRef } from '@kubewright/client';
import { authorizationv1 } from '@kubewright/kube';
import type { Kausality } from '../../api.ts';
import { countsAnnotations } from '../../annotations/counts-annotations.ts';
import type { Finding } from '../../../kit/report-findings.ts';
import type { Installation } from './installation.ts';
import { isNamed, resourceOfKind, type Tracked } from './read-tracked.ts';

type Result = Omit<Finding, 'check'>;

/** A right that the webhook's account needs: `patch` of `deployments/status`. */
type Right = { readonly ref: ResourceRef; readonly verb: string; readonly subresource?: string };

const READ = ['get', 'list', 'watch'];

/** Whether the webhook can read what owns tracked objects, and annotate it. */
export async function checkRights(
  { account, aggregation }: Installation,
  { children, parents }: Tracked,
  { client, discovered }: { readonly client: Client; readonly discovered: Discovered },
): Promise<readonly Result[]> {
  const owners = parents.map((parent) => ({ parent, ref: resourceOfKind(parent, discovered) }));
  const needs = owners.flatMap(({ parent, ref }) =>
    ref === undefined ? [] : [{ ref, rights: rightsOn(parent, ref) }],
  );
  const others = children.filter((child) => !needs.some(({ ref }) => isSame(ref, child)));
  const results: Result[] = [];
  for (const { ref, rights } of [
    ...needs,
    ...others.map((ref) => ({ ref, rights: [{ ref, verb: 'get' }] })),
  ]) {
    const missing = await missingOf(rights, account, client);
    if (missing.length > 0) results.push(missingResult(ref, missing, { account, aggregation }));
  }
  const kinds = owners.map(({ parent: { kind } }) => kind).join(', ');
  const ok = `${account} can read what policies name${kinds === '' ? '' : `, and annotate its owners: ${kinds}`}`;
  return results.length > 0 ? results : [{ status: 'ok', what: ok }];
}

/** Owners that no policy names: nobody learns who their controllers are. */
export function checkOwners(
  { parents }: Tracked,
  policies: readonly Kausality[],
  discovered: Discovered,
): readonly Result[] {
  const unnamed = parents.filter((parent) => {
    const ref = resourceOfKind(parent, discovered);
    return ref !== undefined && !policies.some((policy) => isNamed(policy, ref));
  });
  if (unnamed.length === 0) return [{ status: 'ok', what: 'policies name the owners of what they name' }];
  return unnamed.map(({ apiVersion, kind }) => ({
    status: 'warning',
    what: `${kind} (${apiVersion}) owns tracked objects, and no policy names it: its controller stays unknown, so nothing that it does is drift`,
    fix: 'add its resource to spec.resources of the policy',
  }));
}

function rightsOn(parent: Tracked['parents'][number], ref: ResourceRef): readonly Right[] {
  // Annotations of a Deployment are written by its status, which does not raise its generation.
  const patch: Right = {
    ref,
    verb: 'patch',
    ...(countsAnnotations(parent) ? { subresource: 'status' } : {}),
  };
  return [...READ.map((verb) => ({ ref, verb })), patch];
}

async function missingOf(
  rights: readonly Right[],
  account: string,
  client: Client,
): Promise<readonly string[]> {
  const allowed = await Promise.all(rights.map((right) => isAllowed(right, account, client)));
  return rights.filter((_right, index) => !allowed[index]).map(({ verb }) => verb);
}

async function isAllowed({ ref, verb, subresource }: Right, user: string, client: Client): Promise<boolean> {
  const { group, resource } = ref;
  const [, , namespace = ''] = user.split(':');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const attributes = { group, resource, verb, ...(subresource === undefined ? {} : { subresource }) };
  const { status } = await client.create(authorizationv1.subjectaccessreviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user, groups, resourceAttributes: attributes },
  });
  return status?.allowed === true;
}

function missingResult(
  { group, resource }: ResourceRef,
  missing: readonly string[],
  { account, aggregation }: Pick<Installation, 'account' | 'aggregation'>,
): Result {
  const name = `drift-${resource}`;
  const full = group === '' ? resource : `${resource}.${group}`;
  const create = `kubectl create clusterrole ${name} --verb=${[...READ, 'patch'].join()} --resource=${full}`;
  return {
    status: 'failed',
    what: `${account} may not ${missing.join(', ')} ${full}: in mode enforce, what such objects own cannot be changed`,
    fix: `${create} && kubectl label clusterrole ${name} ${aggregation}=true`,
  };
}

function isSame(a: ResourceRef, b: ResourceRef): boolean {
  return a.group === b.group && a.resource === b.resource;
}
