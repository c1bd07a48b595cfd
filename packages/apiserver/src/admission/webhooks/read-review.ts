import { errorText, isJsonObject, type Json, type JsonObject, parseJson } from '@kubewright/kube';
import { quoteGo } from '@kubewright/kube/validation';
import { stringAt } from '../../objects/read.ts';
import { parseYaml } from '../../rest/body.ts';
import { goKind } from '../../rest/decode-body.ts';

/** Why a response cannot be used. */
export type Unusable = { readonly fault: string };

/** The kind of a review, and the version that was sent. */
export type ReviewKind = { readonly group: string; readonly kind: string; readonly version: string };

const NO_KIND = "couldn't get version/kind; json parse error: ";
const TYPE_META =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The body of a webhook's response as a review. */
export function readReview(body: Uint8Array, wanted: ReviewKind): { readonly value: JsonObject } | Unusable {
  let value: Json;
  try {
    // What is no JSON may be YAML: so Go's decoder has it.
    value = body[0] === BRACE ? parseJson(body) : parseYaml(body, false).value;
  } catch (error) {
    return { fault: `${NO_KIND}${errorText(error)}` };
  }
  if (!isJsonObject(value))
    return { fault: `${NO_KIND}json: cannot unmarshal ${goKind(value)} into ${TYPE_META}` };
  const fault = foreignKind(stringAt(value, 'apiVersion'), stringAt(value, 'kind'), wanted);
  return fault === undefined ? { value } : { fault };
}

const BRACE = 0x7b;

/** Why the object is no review of this version; absent `apiVersion` and `kind` are accepted. */
function foreignKind(apiVersion: string, kind: string, wanted: ReviewKind): string | undefined {
  const { group, version } = wanted;
  const ours = kind === wanted.kind;
  if ((apiVersion === '' || apiVersion === `${group}/${version}`) && (kind === '' || ours)) return undefined;
  const other = ['v1', 'v1beta1'].find((known) => apiVersion === `${group}/${known}`);
  if (other !== undefined && ours)
    return `converting (${other}.${kind}) to (${version}.${kind}): unknown conversion`;
  return `no kind ${quoteGo(kind)} is registered for version ${quoteGo(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}
