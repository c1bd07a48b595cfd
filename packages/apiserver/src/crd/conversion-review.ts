import {
  getOwn,
  isJsonArray,
  type Json,
  type JsonObject,
  type KubeObject,
  stringifyJson,
} from '@kubewright/kube';
import { quoteGo } from '@kubewright/kube/validation';
import { readReview } from '../admission/webhooks/read-review.ts';
import { maybeObject, objectAt, stringAt } from '../objects/read.ts';
import { GROUP } from './definition-view.ts';

/** The version of a review and its uid. */
export type ReviewId = { readonly version: string; readonly uid: string };

/** The body of a `ConversionReview` that has objects converted. */
export function conversionReview(
  { version, uid }: ReviewId,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
): string {
  return stringifyJson({
    kind: 'ConversionReview',
    apiVersion: `${GROUP}/${version}`,
    request: { uid, desiredAPIVersion, objects: [...objects] },
  });
}

/** The objects of a response as they came, or why there are none; see `getConvertedObjectsFromResponse`. */
export function convertedObjects(
  body: Uint8Array,
  { version, uid }: ReviewId,
): readonly Json[] | { readonly fault: string } {
  const review = readReview(body, { group: GROUP, kind: 'ConversionReview', version });
  if ('fault' in review) return review;
  const response = maybeObject(review.value, 'response');
  if (response === undefined) return { fault: 'no response provided' };
  const fault =
    (version === 'v1' ? foreignFault(review.value, response, uid) : undefined) ?? failureOf(response);
  if (fault !== undefined) return { fault };
  const objects = getOwn(response, 'convertedObjects');
  return isJsonArray(objects) ? objects : [];
}

function foreignFault(review: JsonObject, response: JsonObject, uid: string): string | undefined {
  const [apiVersion, kind] = [stringAt(review, 'apiVersion'), stringAt(review, 'kind')];
  if (apiVersion !== `${GROUP}/v1` || kind !== 'ConversionReview') {
    const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    return `expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got ${group}, Kind=${kind}`;
  }
  const got = stringAt(response, 'uid');
  return got === uid ? undefined : `expected response.uid=${quoteGo(uid)}, got ${quoteGo(got)}`;
}

function failureOf(response: JsonObject): string | undefined {
  const result = objectAt(response, 'result');
  const [status, message] = [stringAt(result, 'status'), stringAt(result, 'message')];
  if (status === 'Success') return undefined;
  return message === '' ? `response.result.status was '${status}', not 'Success'` : message;
}
