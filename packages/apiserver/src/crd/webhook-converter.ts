import { deepFreeze, type KubeObject, parseApiVersion } from '@kubewright/kube';
import { reviewVersion } from '../admission/webhooks/admission-review.ts';
import { postReview, type ReviewCaller } from '../admission/webhooks/post-review.ts';
import { type ApiServerError, failure } from '../api-server-error.ts';
import { uuid } from '../objects/uuid.ts';
import type { Convert } from '../rest/converting.ts';
import { acceptConverted } from './accept-converted.ts';
import { conversionReview, convertedObjects } from './conversion-review.ts';

/** How long a webhook may take for a review. */
const TIMEOUT_MS = 30_000;

/** Has objects converted by the webhooks of their definitions (`webhookConverter` of `k8s.io/apiextensions-apiserver`). */
export function webhookConverter(caller: ReviewCaller): Convert {
  return async ({ webhook }, objects, apiVersion) => {
    const version = reviewVersion(webhook.reviewVersions);
    if (version === undefined) throw failure(500, '', 'no supported conversion review versions');
    const id = { version, uid: uuid(caller.random) };
    const body = Buffer.from(conversionReview(id, objects, apiVersion));
    const reply = await postReview(caller, webhook.client, { body, ms: TIMEOUT_MS, gone: undefined });
    const converted = 'fault' in reply ? reply : convertedObjects(reply.body, id);
    const [first] = objects;
    if ('fault' in converted) throw conversionFailure(first, `failed: ${converted.fault}`);
    if (converted.length !== objects.length)
      throw conversionFailure(first, `returned ${converted.length} objects, expected ${objects.length}`);
    return objects.map((object, index) => {
      const accepted = acceptConverted(converted[index], object, apiVersion);
      if ('object' in accepted) return deepFreeze(accepted.object);
      if (accepted.isRaw === true) throw failure(500, '', accepted.fault);
      throw conversionFailure(object, `returned ${accepted.fault}`);
    });
  };
}

function conversionFailure(object: KubeObject | undefined, what: string): ApiServerError {
  const { group, version } = parseApiVersion(object?.apiVersion ?? '');
  return failure(500, '', `conversion webhook for ${group}/${version}, Kind=${object?.kind ?? ''} ${what}`);
}
