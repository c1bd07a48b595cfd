import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { packTar } from 'modern-tar';

/** A file, a folder (its path ends with a slash) or a symbolic link of an image. Paths are absolute, without the leading slash. */
export type ImageFile = {
  readonly path: string;
  readonly mode?: number;
  readonly content?: Uint8Array | string;
  readonly link?: string;
};

/** Bytes as a registry stores them: under their own digest. */
export type Blob = { readonly digest: string; readonly bytes: Uint8Array };

/** `diffId` is the digest before compression. Without a media type it is compressed by gzip. */
export type Layer = Blob & { readonly diffId: string; readonly mediaType?: string };

/** All files are from the same moment, npm's, so that the same content has the same digest. Who sees the start of 1970 may take it for none. */
const MOMENT = new Date('1985-10-26T08:15:00Z');

export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The layer that holds these files, owned by root, and the folders that they are in. The order of the files does not count. */
export async function imageLayer(files: readonly ImageFile[]): Promise<Layer> {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  for (const { path } of files) folders.delete(path);
  const all: ImageFile[] = [...files, ...[...folders].map((path) => ({ path }))];
  const sorted = all.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const tar = await packTar(sorted.map(tarEntry));
  const bytes = await promisify(gzip)(tar);
  return { digest: digestOf(bytes), diffId: digestOf(tar), bytes };
}

/** `a/b/c` is in `a/` and `a/b/`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`).filter((name) => name !== path);
}

function tarEntry({ path, mode, content = '', link }: ImageFile): Parameters<typeof packTar>[0][number] {
  const header = { name: path, mtime: MOMENT, uid: 0, gid: 0 };
  if (path.endsWith('/')) return { header: { ...header, type: 'directory', size: 0, mode: mode ?? 0o755 } };
  if (link !== undefined)
    return { header: { ...header, type: 'symlink', size: 0, mode: 0o777, linkname: link } };
  const body = Buffer.from(content);
  return { header: { ...header, type: 'file', size: body.length, mode: mode ?? 0o644 }, body };
}
