import type { Stored } from '@kubewright/kube';
import type { ActOutcome } from '@kubewright/runtime';
import { type Answer, type AnyKindApi, refOf } from '../kit/any-kind-api.ts';
import { FIELD_MANAGER } from './api.ts';
import type { ResourceAction } from './decide/resource-decision.ts';
import { rewritePatch, tookEffect } from './decide/rewrite.ts';

/** The outcome of a write, with the object from the response. */
export type Written = { readonly outcome: ActOutcome; readonly object?: Stored };

/** The server responded 200 to a rewrite, but kept the old managedFields. */
const REWRITE_IGNORED = {
  reason: 'RewriteIgnored',
  message: 'the server responded 200 to a rewrite of managedFields but kept the old ones',
};

/** Carries out one action: one API call. */
export async function act(action: ResourceAction, api: AnyKindApi): Promise<Written> {
  switch (action.type) {
    case 'apply':
      return writtenOf(await api.apply(action.object, { manager: FIELD_MANAGER, dryRun: false }));
    case 'create':
      return writtenOf(await api.create(action.object, { manager: FIELD_MANAGER }));
    case 'replace':
      return writtenOf(await api.replace(action.object, { manager: FIELD_MANAGER, dryRun: false }));
    case 'delete':
      return writtenOf(await api.delete(action.live, action.propagation));
    case 'rewrite':
      return rewrite(action, api);
    case 'patch':
      return writtenOf(
        await api.patchJson(refOf(action.live), action.operations, { manager: FIELD_MANAGER }),
      );
  }
}

async function rewrite(
  { rewrite: wanted, live }: Extract<ResourceAction, { type: 'rewrite' }>,
  api: AnyKindApi,
): Promise<Written> {
  const patch = rewritePatch(wanted, live.metadata.resourceVersion);
  const written = writtenOf(await api.patchJson(refOf(live), patch, { manager: FIELD_MANAGER }));
  const { object } = written;
  return object === undefined || tookEffect(wanted, live, object) ? written : { outcome: REWRITE_IGNORED };
}

function writtenOf(answer: Answer): Written {
  if (answer.ok) return { outcome: 'done', object: answer.object };
  const { code, reason = '', message = 'rejected' } = answer.status;
  return { outcome: code === 409 ? 'conflict' : { code, reason, message } };
}
