import { OperatorError } from '../../operator-error.ts';
import { objectIn } from './problem-in.ts';
import type { CheckpointOrder } from './node-agents.ts';

/** An order is small. */
const MOST_BYTES = 64 * 1024;
/** What `checkpointOf` names an image that no registry has. */
const OWN_IMAGE = /^localhost\/ms2m\/[a-z0-9-]+\/[a-z0-9.-]+:[0-9a-f]{1,8}-\d+$/;
/** The tag of an image in a registry that `checkpointOf` names. */
const CHECKPOINT_TAG = /:[0-9a-f]{1,8}-\d+$/;
/** Of objects and images: no `..`, nothing that a path or a command line would mean otherwise. */
const NAME = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._:/@-]*$/;

/** Whether an image is one that `checkpointOf` names, and no registry has. */
export function isOwnImage(image: string): boolean {
  return OWN_IMAGE.test(image);
}

/** Whether an image, here or in a registry, is named as `checkpointOf` names those of checkpoints. */
export function isCheckpointImage(image: string): boolean {
  return NAME.test(image) && CHECKPOINT_TAG.test(image);
}

/** Whether it names one image for ever. */
export function isImageByDigest(image: string): boolean {
  return NAME.test(image) && /@sha256:[0-9a-f]{64}$/.test(image);
}

/** The order in a request. Rejects with `Usage`, or `Forbidden` for an image that is of no checkpoint. */
export async function orderIn(request: AsyncIterable<Uint8Array>, id: string): Promise<CheckpointOrder> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new OperatorError('Usage', 'the order is too long');
    chunks.push(chunk);
  }
  const order = objectIn(Buffer.concat(chunks).toString()) as Partial<CheckpointOrder>;
  const texts = ['namespace', 'pod', 'container', 'node', 'targetNode', 'image', 'transfer'] as const;
  const wrong = texts.find((field) => typeof order[field] !== 'string' || !NAME.test(order[field]));
  if (wrong !== undefined) throw new OperatorError('Usage', `the order has no valid ${wrong}`);
  if (order.transfer === 'Direct' && !isOwnImage(order.image ?? ''))
    throw new OperatorError('Forbidden', 'the image of a checkpoint is localhost/ms2m/NAMESPACE/POD:TAG');
  if (!isCheckpointImage(order.image ?? ''))
    throw new OperatorError('Forbidden', 'the image of a checkpoint is REPOSITORY/POD:UID-EPOCH');
  return { ...(order as CheckpointOrder), id };
}
