import { createHash } from 'node:crypto';

/** What a status shows as `imageID`: the image's name without its tag, and a digest that stands for its content. */
export function imageId(image: string): string {
  const digest = createHash('sha256').update(image).digest('hex');
  const [name = ''] = image.split('@', 1);
  const colon = name.lastIndexOf(':');
  const repository = colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
  return `${repository}@sha256:${digest}`;
}
