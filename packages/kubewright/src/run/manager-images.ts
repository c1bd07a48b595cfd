import { fileURLToPath } from 'node:url';
import type { ImageScript } from '../command-options.ts';
import { version } from './version.ts';

/** This program, as far from a bundle as from a module. */
const PROGRAM = new URL('../../bin/kubewright.mjs', import.meta.url);

const IMAGE = 'kubewright';

/** The images that `kubewright install` and the chart name by default: containers of them run this program. */
export function managerImages(): readonly ImageScript[] {
  const file = fileURLToPath(PROGRAM);
  return [IMAGE, `${IMAGE}:${version()}`].map((name) => ({ name, file }));
}
