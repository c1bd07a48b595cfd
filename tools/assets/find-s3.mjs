// Finds the servers of the S3 protocol that are built or installed: looks, never fetches or builds.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';

/** The file name of a program, which is that of its folder here, too → its module. */
export const S3_MODULES = {
  rclone: 'github.com/rclone/rclone',
  versitygw: 'github.com/versity/versitygw',
  weed: 'github.com/seaweedfs/seaweedfs',
};

/** Of a package for Python. */
export const MOTO_VERSION = '5.2.5';

/** The version of each that its go.mod pins. */
export const S3_VERSIONS = Object.fromEntries(
  Object.entries(S3_MODULES).map(([name, module]) => {
    const text = readFileSync(new URL(`${name}/go.mod`, import.meta.url), 'utf8');
    const line = text.split('\n').find((each) => each.startsWith(`require ${module} v`));
    return [name, line.split(' ')[2]];
  }),
);

/** Where all are kept, outside the repository. */
export function s3Directory(env = process.env) {
  return join(dirname(cacheDirectory(env)), 's3');
}

/** The folder of a program: another version has another one. */
export function programDirectory(name, env = process.env) {
  return join(s3Directory(env), `${name}-${S3_VERSIONS[name]}`);
}

/** The folder with moto and what it needs, for PYTHONPATH. */
export function motoDirectory(env = process.env) {
  return join(s3Directory(env), `moto-${MOTO_VERSION}`);
}

/** The path of a program; undefined while it is not built. */
export function findS3(name, env = process.env) {
  const directory = programDirectory(name, env);
  return holds(directory, [name]) ? join(directory, name) : undefined;
}

/** The folder of moto; undefined while it is not installed. */
export function findMoto(env = process.env) {
  const directory = motoDirectory(env);
  return holds(directory, ['bin/moto_server']) ? directory : undefined;
}
