import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { GenerateImageOptions } from '../../command-options.ts';
import { operatorImage } from '../../image/operator-image.ts';
import { readImage } from '../../image/read-image.ts';
import { KubewrightError } from '../../kubewright-error.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright generate image`: an OCI archive of a program and a base that has Node, without Docker. */
export async function generateImage(
  folder: string,
  { base, name, out: file, ...options }: GenerateImageOptions,
  { cwd, out }: Terminal,
): Promise<void> {
  const program = join(resolve(cwd, folder), options.command);
  if (!existsSync(program)) throw new KubewrightError('File', `${program} is not there`);
  const bases = await readImage(resolve(cwd, base));
  const { archive, digest } = await operatorImage(bases, {
    ...options,
    name: fullName(name),
    folder: resolve(cwd, folder),
  });
  writeFileSync(resolve(cwd, file), archive);
  const architectures = bases.map(({ architecture }) => architecture).join(', ');
  out(
    `${file}: ${fullName(name)} for ${architectures}, ${(archive.length / 1e6).toFixed(1)} MB, ${digest}\n`,
  );
}

/** As containerd and Docker read a short name: kubelets ask for this one. */
function fullName(name: string): string {
  const [first = '', ...others] = name.split('/');
  const tagged = /:[^/]+$/.test(name) ? name : `${name}:latest`;
  if (others.length === 0) return `docker.io/library/${tagged}`;
  return /[.:]|^localhost$/.test(first) ? tagged : `docker.io/${tagged}`;
}
