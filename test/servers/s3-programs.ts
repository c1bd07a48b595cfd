import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findMoto, findS3 } from '../../tools/assets/find-s3.mjs';
import { freePort } from '../support/free-port.ts';
import { type Started, startProgram } from '../support/start-program.ts';

/** A server of the S3 protocol, with one bucket. */
export type S3Program = {
  readonly name: string;
  /** Where the program is; undefined while it is not there. */
  readonly path: string | undefined;
  /** Whether one of several that create an object at a time does, where that is asked for. */
  readonly createsOnce: boolean;
  start(path: string, bucket: string, keys: S3Keys): Promise<Started>;
  /** Adds a bucket whose objects are kept for a day, and which wants checksums for that, as AWS does. */
  readonly addLocked?: (url: string, bucket: string) => Promise<void>;
};

type S3Keys = { readonly id: string; readonly secret: string };

/** Folders are buckets. */
const rclone: S3Program = {
  name: 'rclone serve s3',
  path: findS3('rclone'),
  createsOnce: false,
  start: async (path, bucket, { id, secret }) =>
    startProgram(path, '/', (port, folder) => {
      mkdirSync(join(folder, 'data', bucket), { recursive: true });
      const listen = ['--addr', `127.0.0.1:${port}`, '--auth-key', `${id},${secret}`];
      return ['serve', 's3', ...listen, join(folder, 'data')];
    }),
};

/** Folders are buckets. */
const versitygw: S3Program = {
  name: 'versitygw',
  path: findS3('versitygw'),
  createsOnce: true,
  start: async (path, bucket, { id, secret }) =>
    startProgram(
      path,
      '/',
      (port, folder) => {
        const [data, attributes] = [join(folder, 'data'), join(folder, 'attributes')];
        mkdirSync(join(data, bucket), { recursive: true });
        mkdirSync(attributes);
        // Not each file system has extended attributes.
        return ['--quiet', '--port', `127.0.0.1:${port}`, 'posix', '--sidecar', attributes, data];
      },
      { ROOT_ACCESS_KEY_ID: id, ROOT_SECRET_ACCESS_KEY: secret },
    ),
};

/** It takes any credentials. It looks, and then writes: of many that create an object at a time, two may. */
const moto: S3Program = {
  name: 'moto',
  path: findMoto(),
  createsOnce: false,
  async start(path, bucket) {
    const program = join(path, 'bin/moto_server');
    const argsFor = (port: number): readonly string[] => ['-H', '127.0.0.1', '-p', String(port)];
    const started = await startProgram(program, '/', argsFor, { PYTHONPATH: path });
    await fetch(`${started.url}/${bucket}`, { method: 'PUT' });
    return started;
  },
  async addLocked(url, bucket) {
    const headers = { 'x-amz-bucket-object-lock-enabled': 'true' };
    await fetch(`${url}/${bucket}`, { method: 'PUT', headers });
    const rule = '<DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention>';
    const body = `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule>${rule}</Rule></ObjectLockConfiguration>`;
    await fetch(`${url}/${bucket}?object-lock`, { method: 'PUT', body });
  },
};

/** Its filer has a folder for each bucket. */
const seaweedfs: S3Program = {
  name: 'SeaweedFS',
  path: findS3('weed'),
  createsOnce: true,
  async start(path, bucket, { id, secret }) {
    const ports: Record<string, number> = {};
    for (const name of ['master', 'volume', 'filer'])
      Object.assign(ports, { [`${name}.port`]: await freePort(), [`${name}.port.grpc`]: await freePort() });
    const grpc = await freePort();
    const started = await startProgram(
      path,
      '/healthz',
      (port, folder) => [
        'server',
        `-dir=${folder}`,
        '-ip=127.0.0.1',
        '-ip.bind=127.0.0.1',
        ...Object.entries(ports).map(([name, value]) => `-${name}=${value}`),
        '-s3',
        `-s3.port=${port}`,
        `-s3.port.grpc=${grpc}`,
        '-s3.port.iceberg=0',
        '-s3.port.lance=0',
        '-master.telemetry=false',
      ],
      { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret },
    );
    await fetch(`http://127.0.0.1:${ports['filer.port']}/buckets/${bucket}/`, { method: 'POST' });
    return started;
  },
};

export const S3_PROGRAMS: readonly S3Program[] = [rclone, versitygw, moto, seaweedfs];
