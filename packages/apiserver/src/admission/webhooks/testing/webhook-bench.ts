import { createManualClock, type JsonObject, type ManualClock } from '@kubewright/kube';
import { afterEach, expect } from 'vitest';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../../../api-server.ts';
import { at, textAt } from '../../../testing/at.ts';
import { type Call, caller } from '../../../testing/call.ts';
import type { WebhookCall, WebhookReply, WebhookTransport } from '../webhook-transport.ts';

/** A question that waits for its answer. */
type Waiting = {
  readonly call: WebhookCall;
  readonly request: JsonObject;
  readonly answer: (response: JsonObject) => void;
};

/** Holds questions until the test answers them. */
function heldQuestions(): WebhookTransport & { next(): Promise<Waiting> } {
  const waiting: Waiting[] = [];
  let arrived = (): void => {};
  return {
    close: () => {},
    call: (call) =>
      new Promise<WebhookReply>((resolve) => {
        const review = JSON.parse(Buffer.from(call.body).toString()) as JsonObject;
        const request = at(review, 'request') as JsonObject;
        const answer = (response: JsonObject): void => {
          const { kind = '', apiVersion = '' } = review;
          const said = { kind, apiVersion, response: { uid: textAt(request, 'uid'), ...response } };
          resolve({ status: 200, contentType: 'application/json', body: Buffer.from(JSON.stringify(said)) });
        };
        waiting.push({ call, request, answer });
        arrived();
      }),
    async next() {
      while (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return waiting.shift() as Waiting;
    },
  };
}

export const MAPS = '/api/v1/namespaces/default/configmaps';
export const MERGE = { 'content-type': 'application/merge-patch+json' };
export const ALLOWED = { allowed: true };

type Bench = {
  readonly server: ApiServer;
  readonly call: Call;
  readonly clock: ManualClock;
  readonly questions: ReturnType<typeof heldQuestions>;
};

/** Makes servers whose webhooks are asked about ConfigMaps; each is closed after its test. */
export function webhookBench(): (webhook?: JsonObject, options?: ApiServerOptions) => Promise<Bench> {
  const servers: ApiServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  return async (webhook: JsonObject = {}, options = {}) => {
    const [clock, questions] = [createManualClock(), heldQuestions()];
    const server = createApiServer({ clock, webhookTransport: questions, ...options });
    servers.push(server);
    const call = caller(server.transport());
    const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    const made = await call('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'hooks' },
      webhooks: [
        {
          name: 'a.example.com',
          clientConfig: { url: 'https://hooks.example.com/a' },
          rules,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          ...webhook,
        },
      ],
    });
    expect(made.status).toBe(201);
    return { server, call, clock, questions };
  };
}

export const map = (name: string, data: JsonObject = {}): JsonObject => ({ metadata: { name }, data });
