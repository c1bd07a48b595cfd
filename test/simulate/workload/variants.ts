import type { ApiResponse, Transport } from '@kubewright/kube';
import type { Scenario } from '@kubewright/cluster';
import { type Tamper, workloadScenario } from './workload.ts';

/** Takes every StatefulSet for one whose pods may all come at once. */
const impatient: Tamper = (transport: Transport) => ({
  ...transport,
  async request(request) {
    const response = await transport.request(request);
    return request.method === 'GET' && /\/statefulsets\?/.test(request.path) ? hurried(response) : response;
  },
});

function hurried(response: ApiResponse): ApiResponse {
  async function* body(): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body)
      yield Buffer.from(Buffer.from(chunk).toString().replaceAll('"OrderedReady"', '"Parallel"'));
  }
  return { ...response, body: body() };
}

/** Controllers that are broken on purpose: a simulation that masters them too would prove nothing. */
export const workloadVariants: Readonly<Record<string, Scenario>> = {
  impatient: workloadScenario(impatient),
};
