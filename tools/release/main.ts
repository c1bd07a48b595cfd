// npm run release: makes a release in `release/`, from what is committed. docs/releasing.md is about it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../read-options.ts';
import { makeRelease } from './make-release.ts';
import { pinBase } from './pin-base.ts';
import { publishRelease, whyNotPublishable } from './publish-release.ts';
import { ROOT, runNpm } from './run-npm.ts';

const USAGE = `npm run release -- --dry-run | --publish [options]

  --dry-run            make everything in release/, and publish nothing
  --publish            make everything, and publish the packages with npm; the tree has to be clean, and its commit tagged
  --out FOLDER         make it in this folder, which has to be empty (default: release/, made anew)
  --no-image           without the image, which needs apt of Debian
  --image REPOSITORY   with --publish: push the image there, with skopeo
  --update-base        only write the current versions of Debian's packages into tools/release/image-base.json`;

const { values } = readOptions(USAGE, {
  options: {
    'dry-run': { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    out: { type: 'string' },
    'no-image': { type: 'boolean', default: false },
    image: { type: 'string' },
    'update-base': { type: 'boolean', default: false },
  },
});

const log = (line: string): void => void process.stdout.write(`${line}\n`);
const fail = (line: string): void => {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
};

async function release(): Promise<void> {
  const folder = values.out ?? join(ROOT, 'release');
  if (values.out === undefined) rmSync(folder, { recursive: true, force: true });
  runNpm('run', '--silent', 'build');
  const made = await makeRelease(folder, { image: !values['no-image'], isDraft: !values.publish, log });
  if (values.publish) publishRelease(folder, made, { image: values.image, log });
  else log(`${folder} holds version ${made.version}; nothing is published`);
}

const why = values.publish ? whyNotPublishable() : undefined;
if (values['update-base']) log(JSON.stringify(pinBase(), null, 2));
else if (values['dry-run'] === values.publish) fail(USAGE);
else if (why !== undefined) fail(`npm run release: ${why}`);
else await release().catch((error: unknown) => fail(`npm run release: ${(error as Error).message}`));
