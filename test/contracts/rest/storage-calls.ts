import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@kubewright/kube';
import { afterEach } from 'vitest';
import type { TestServer } from '../../servers/test-server.ts';
import { type Answer, call, PATCH } from '../../support/api.ts';
import { metaOf } from './namespace-for.ts';

/** What suites about storage do with a server. */
export type StorageCalls = {
  readonly send: (verb: 'POST' | 'DELETE', path: string, body?: JsonObject) => Promise<Answer>;
  readonly patch: (path: string, body: JsonObject) => Promise<Answer>;
  /** Creates an object that is in no namespace, until the test ends. */
  readonly clusterWide: (collection: string, object: JsonObject) => Promise<Answer>;
};

/** Registers what the suite needs after its tests. */
export function storageCalls(server: () => TestServer): StorageCalls {
  const send: StorageCalls['send'] = (verb, path, body) => call(server().transport(), verb, path, body);
  const patch: StorageCalls['patch'] = (path, body) =>
    call(server().transport(), 'PATCH', path, body, PATCH.merge);
  const made: string[] = [];
  afterEach(async () => {
    for (const path of made.splice(0)) {
      await send('DELETE', path);
      await patch(path, { metadata: { finalizers: null } });
    }
  });
  return {
    send,
    patch,
    async clusterWide(collection, object) {
      const answer = await send('POST', collection, object);
      if (answer.status < 300) made.push(`${collection}/${metaOf(answer.body).name}`);
      return answer;
    },
  };
}

export const unique = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;

/** What the server says of a refused object. */
export const causes = ({ status, body }: Answer): readonly string[] => {
  const details = (body['details'] ?? {}) as {
    readonly causes?: readonly { readonly field: string; readonly message: string }[];
  };
  const all = (details.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  return [String(status), ...all];
};
