import { admissionregistrationv1 } from '@kubewright/kube';
import { type Attack, inputs } from './attack.ts';
import { flood } from './flood.ts';
import type { Installation } from './installation.ts';

const SIZE = { slow: 500, reviews: 40, reviewBytes: 3_000_000, cancelled: 0 };
/** Of the manager at its peak. */
const MOST_MEGABYTES = 256;

/** Bodies that do not come, and large ones at the same time. */
export const halfSentBodies: Attack = {
  name: 'half-sent-bodies',
  about:
    'somebody who has read the path of a webhook sends it 500 bodies that never end, and 40 reviews of 3 MB',
  async play(installation) {
    const { webhookPort: port, manager } = installation;
    const size = { ...SIZE, slow: inputs(SIZE.slow), reviews: inputs(SIZE.reviews) };
    const flooding = await flood({ port, path: await configuredPath(installation) }, size);
    const peak = manager.peak();
    flooding.release();
    const effects = peak > MOST_MEGABYTES ? [`the manager took ${Math.round(peak)} MB`] : [];
    return { inputs: size.slow + size.reviews, effects };
  },
};

async function configuredPath({ client }: Installation): Promise<string> {
  const name = 'kubewright-drift';
  const { webhooks } = await client.get(admissionregistrationv1.mutatingwebhookconfigurations, { name });
  const path = webhooks?.[0]?.clientConfig.service?.path;
  if (path === undefined) throw new TypeError(`${name} has no path`);
  return path;
}
