import { uuid } from '../../objects/uuid.ts';
import type { Convert } from '../../rest/converting.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { admissionReview, reviewVersion } from './admission-review.ts';
import type { Invocation } from './invocation.ts';
import { postReview, type ReviewCaller } from './post-review.ts';
import { type HookResponse, readResponse } from './read-response.ts';
import type { Unusable } from './read-review.ts';

/** What calls of admission webhooks need: they may see objects in another version. */
export type HookClientContext = ReviewCaller & { readonly convert: Convert };

/** Asks one webhook about a write within `ms`. Never rejects: what went wrong on the way is a fault. */
export async function callHook(
  caller: HookClientContext,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  { ms, mutating }: { readonly ms: number; readonly mutating: boolean },
): Promise<HookResponse | Unusable> {
  const { client, reviewVersions } = invocation.hook;
  const version = reviewVersion(reviewVersions);
  if (version === undefined) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    return { fault: `could not create admission objects: ${why}` };
  }
  const uid = uuid(caller.random);
  const body = Buffer.from(admissionReview(version, uid, invocation, attributes));
  const reply = await postReview(caller, client, { body, ms, gone: attributes.request.signal() });
  if ('fault' in reply) return { fault: `failed to call webhook: ${reply.fault}` };
  return readResponse(reply.body, { uid, version, mutating });
}
