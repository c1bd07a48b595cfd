import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type ImageFile, imageLayer } from './image-layer.ts';
import { ociArchive, type PlatformImage } from './oci-archive.ts';
import type { BaseImage } from './read-image.ts';

const HOME = 'opt/app';
/** As the Deployment runs it; images need not have such a user. */
const USER = '65532:65532';

export type OperatorImage = {
  /** With a registry and a tag, as containerd names it. */
  readonly name: string;
  /** Its files are the program. */
  readonly folder: string;
  /** The file among them that Node runs. */
  readonly command: string;
  /** Where the base has Node. */
  readonly node: string;
};

/** A program on a base that has Node: one more layer for each architecture, built without a daemon. */
export async function operatorImage(
  bases: readonly BaseImage[],
  { name, folder, command, node }: OperatorImage,
): ReturnType<typeof ociArchive> {
  const upper = await imageLayer(filesBelow(folder));
  const images = bases.map(
    ({ architecture, layers, env, created }): PlatformImage => ({
      architecture,
      layers: [...layers, upper],
      created,
      config: {
        User: USER,
        WorkingDir: '/',
        Entrypoint: [node, `/${HOME}/${command}`],
        Env: env,
        Labels: { 'org.opencontainers.image.title': name.slice(name.lastIndexOf('/') + 1) },
      },
    }),
  );
  return await ociArchive(name, images);
}

function filesBelow(folder: string): readonly ImageFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({
      path: `${HOME}/${relative(folder, path).split(sep).join('/')}`,
      content: readFileSync(path),
    }));
}
