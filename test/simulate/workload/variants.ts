import type { ApiResponse, Transport } from '@kubewright/kube';
import type { Scenario } from '@kubewright/cluster';
import type { Tamper } from '../tampered-controllers.ts';
import { workloadScenario } from './workload.ts';

/** Reads one thing for another, wherever a list or a watch of a resource says it. */
const misread =
  (resource: string, said: RegExp, read: string): Tamper =>
  (transport: Transport) => ({
    ...transport,
    async request(request) {
      const response = await transport.request(request);
      const isRead = request.method === 'GET' && request.path.includes(`/${resource}?`);
      return isRead ? { ...response, body: replaced(response.body, said, read) } : response;
    },
  });

async function* replaced(body: ApiResponse['body'], said: RegExp, read: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield Buffer.from(Buffer.from(chunk).toString().replaceAll(said, read));
}

/** Takes every StatefulSet for one whose pods may all come at once. */
const impatient = misread('statefulsets', /"OrderedReady"/g, '"Parallel"');
/** Takes every CronJob for one whose Jobs may run beside each other. */
const crowded = misread('cronjobs', /"(?:Forbid|Replace)"/g, '"Allow"');
/** Takes every autoscaler for one with hardly a bound. */
const boundless = misread('horizontalpodautoscalers', /"maxReplicas":4/g, '"maxReplicas":40');

/** Controllers that are broken on purpose: a simulation that masters them too would prove nothing. */
export const workloadVariants: Readonly<Record<string, Scenario>> = {
  impatient: workloadScenario(impatient),
  crowded: workloadScenario(crowded, { everything: true }),
  boundless: workloadScenario(boundless, { everything: true }),
};
