import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '@kubewright/kube';
import type { Tamper } from './tampered-controllers.ts';

/** Rewrites the statuses of Jobs on their way. */
const rewriting =
  (rewrite: (job: JsonObject) => JsonObject): Tamper =>
  (transport) => ({
    ...transport,
    request: (request) => {
      const { method, path, body } = request;
      if (typeof body !== 'string' || method !== 'PUT' || !/\/jobs\/[^/]+\/status/.test(path))
        return transport.request(request);
      const job = parseJson(Buffer.from(body)) as JsonObject;
      return transport.request({ ...request, body: stringifyJson(rewrite(job)) });
    },
  });

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const lengthOf = (value: Json | undefined): number => (Array.isArray(value) ? value.length : 0);
const countOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0);

/** Counts pods when it names them, and once more when it has let them go. */
function countedTwice(job: JsonObject): JsonObject {
  const status = objectOf(job['status']);
  const { failed, succeeded } = objectOf(status['uncountedTerminatedPods']);
  const counts = {
    failed: countOf(status['failed']) + lengthOf(failed),
    succeeded: countOf(status['succeeded']) + lengthOf(succeeded),
  };
  return { ...job, status: { ...status, ...counts } };
}

/** Controllers that are broken on purpose: a simulation that masters them too would prove nothing. */
export const jobsVariants: Readonly<Record<string, Tamper>> = { hasty: rewriting(countedTwice) };
