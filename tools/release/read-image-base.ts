import { readFileSync } from 'node:fs';
import type { Architecture } from './image-files.ts';

type Hashes = Readonly<Record<Architecture, string>>;

/** `image-base.json`: what the image is made of beside Kubewright. */
export type ImageBase = {
  /** `integrity` is that of the npm packages that hold the binary. */
  readonly node: { readonly version: string; readonly integrity: Hashes };
  readonly debian: {
    readonly suite: string;
    readonly packages: Readonly<Record<string, { readonly version: string; readonly sha256: Hashes }>>;
  };
};

export const BASE_FILE: URL = new URL('image-base.json', import.meta.url);

export const readImageBase = (): ImageBase => JSON.parse(readFileSync(BASE_FILE, 'utf8')) as ImageBase;
