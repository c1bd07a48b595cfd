import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PACKAGE = new URL('../../packages/kubewright/', import.meta.url);
const isBuilt = existsSync(new URL('dist/bundle/main.js', PACKAGE));

/** Arguments of Node that run the command line: as it was last built, which starts at once, or else from its sources. */
export const KUBEWRIGHT: readonly string[] = isBuilt
  ? [fileURLToPath(new URL('bin/kubewright.mjs', PACKAGE))]
  : [
      '--conditions=@kubewright/source',
      '--import',
      'tsx',
      fileURLToPath(new URL('kubewright.ts', import.meta.url)),
    ];
