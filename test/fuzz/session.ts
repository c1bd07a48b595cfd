import { errorText, type Json, type JsonObject, type Transport } from '@kubewright/kube';
import { type Answer, PATCH, call, query } from '../support/api.ts';
import { sorted } from '../support/canonical.ts';
import { createNormaliser } from './normalise.ts';
import { type FuzzRequest, type Target, makeRequest } from './operation.ts';
import type { View } from './view.ts';
import { openWatch } from './watch-log.ts';

/** A server's response, comparable with another's. */
type Observed = { readonly status: number; readonly warnings: Json; readonly body: Json };

/** One server's side of an episode. */
export type Session = {
  /** Sends the request of an operation's seed; what comes back, and what the object then is where that is not the same. */
  perform(seed: number): Promise<{ readonly request: FuzzRequest; readonly observed: readonly Observed[] }>;
  /** Removes the object and returns all its watch events. */
  finish(): Promise<Json>;
};

/** Opens a session of one server on an object that does not exist yet. */
export async function openSession(transport: Transport, target: Target): Promise<Session> {
  const normalise = createNormaliser();
  const path = `${target.kind.collection(target.namespace)}/${target.name}`;
  const log = await openWatch(transport, target);
  let live: JsonObject | undefined;
  const past: JsonObject[] = [];
  const keep = (object: JsonObject | undefined): void => {
    if (live !== undefined) past.push(live);
    // Requests are made from what is live, so its fields must come in the same order from both servers.
    live = object === undefined ? undefined : (sorted(object) as JsonObject);
  };
  const view = (): View => ({ live, stale: past.at(-1 - (past.length % 3)) ?? past.at(-1) });

  const send = async (
    request: Omit<FuzzRequest, 'dryRun' | 'subresource'>,
  ): Promise<[Observed, JsonObject]> => {
    const { method, path, body: sent, contentType } = request;
    const answer = await call(transport, method, path, sent, contentType).catch(brokenOff);
    const body = normalise(answer.body);
    return [
      {
        status: answer.status, // Unknown fields of a strategic patch are told in the order of a Go map: any.
        warnings: answer.warnings.toSorted(),
        body,
      },
      answer.body,
    ];
  };
  const refresh = async (): Promise<Observed> => {
    const [observed, body] = await send({ method: 'GET', path });
    keep(observed.status === 200 ? body : undefined);
    return observed;
  };

  return {
    async perform(seed) {
      const request = makeRequest(seed, target, view());
      const [observed, body] = await send(request);
      if (observed.status >= 300 || request.dryRun || request.method === 'GET') {
        // A rejected request changes nothing; that is checked now and then.
        return { request, observed: seed % 4 === 0 ? [observed, await refresh()] : [observed] };
      }
      if (body['kind'] === target.kind.kind && request.method !== 'DELETE') {
        keep(body);
        return { request, observed: [observed] };
      }
      return { request, observed: [observed, await refresh()] };
    },
    async finish() {
      await removeObject(transport, target, path);
      return log.until().then((events) => normalise(events));
    },
  };
}

/** The status where there was no response: a server that panics resets the stream. */
export const BROKEN_OFF = 0;

function brokenOff(error: unknown): Answer {
  const text = errorText(error);
  return { status: BROKEN_OFF, warnings: [], body: { text } };
}

/** Deletes what is there, then makes and deletes a last object, so that the watch ends with its `DELETED`. */
async function removeObject(transport: Transport, target: Target, path: string): Promise<void> {
  const { kind, name, namespace } = target;
  const parameters = query({ fieldManager: 'last' });
  await call(transport, 'PATCH', path + parameters, { metadata: { finalizers: null } }, PATCH.merge);
  await call(transport, 'DELETE', path);
  const metadata = { name, namespace, annotations: { last: 'true' } };
  const body = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...kind.base };
  await call(transport, 'POST', kind.collection(namespace) + parameters, body);
  await call(transport, 'DELETE', path);
}
