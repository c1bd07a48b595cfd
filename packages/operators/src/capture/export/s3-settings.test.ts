import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '@kubewright/apiserver';
import { expect, test } from 'vitest';
import { BUCKET, S3_ENV, startS3Server } from '../testing/s3-server.ts';
import { s3Folder } from './s3-folder.ts';
import { s3Settings } from './s3-settings.ts';

const urlOf = (bucket: string, env: Readonly<Record<string, string>>): string =>
  s3Settings(bucket, { ...S3_ENV, ...env }).url;
const MINIO = { AWS_ENDPOINT_URL_S3: 'https://minio.example.com:9000/s3/' };

test('CAP-132 AWS is addressed by the name of the bucket, other stores by path, and each as it is asked for', () => {
  expect(urlOf('shop', { AWS_REGION: 'eu-west-1' })).toBe('https://shop.s3.eu-west-1.amazonaws.com');
  expect(urlOf('my.shop', {})).toBe('https://s3.us-east-1.amazonaws.com/my.shop');
  expect(urlOf('shop', MINIO)).toBe('https://minio.example.com:9000/s3/shop');
  const virtual = { AWS_S3_ADDRESSING_STYLE: 'virtual' };
  expect(urlOf('shop', { ...MINIO, ...virtual })).toBe('https://shop.minio.example.com:9000/s3');
  expect(urlOf('shop', { AWS_S3_ADDRESSING_STYLE: 'path' })).toBe('https://s3.us-east-1.amazonaws.com/shop');
  expect(() => urlOf('shop', { AWS_S3_ADDRESSING_STYLE: 'host' })).toThrow(
    'is none of path, virtual and auto',
  );
});

test('CAP-132 a store is reached through HTTPS_PROXY, unless NO_PROXY names it', () => {
  const env = { ...S3_ENV, ...MINIO, HTTPS_PROXY: 'http://proxy:3128' };
  expect(s3Settings('shop', env).connection.proxyUrl).toBe('http://proxy:3128');
  expect(s3Settings('shop', { ...env, NO_PROXY: 'example.com' }).connection.proxyUrl).toBeUndefined();
});

test('CAP-132 requests go through a tunnel of the proxy, and are signed for the store', async () => {
  const s3 = await startS3Server();
  const { port } = new URL(s3.url);
  const asked: string[] = [];
  const proxy = createServer().on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(request.url ?? '');
    const way = connect(Number(port), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    way.pipe(socket).pipe(way);
    for (const end of [way, socket]) end.on('error', () => undefined);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { ...S3_ENV, AWS_ENDPOINT_URL_S3: `http://store.example.com:${port}`, HTTP_PROXY };
  await s3Folder(`s3://${BUCKET}/shop`, env).write({ path: 'x', content: 'content' });
  expect(asked).toEqual([`store.example.com:${port}`]);
  expect([...s3.objects.keys()]).toEqual([`/${BUCKET}/shop/x`]);
  for (const server of [s3.server, proxy]) {
    server.closeAllConnections();
    server.close();
  }
});

test('CAP-132 a certificate of an authority in AWS_CA_BUNDLE is trusted, and a bundle that is missing is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-bundle-'));
  const bundle = join(folder, 'ca.pem');
  const certificates = await makeCertificates(new Date(), []);
  writeFileSync(bundle, certificates.ca);
  const s3 = await startS3Server((listener) => createTlsServer(certificates, listener));
  const env = { ...S3_ENV, AWS_ENDPOINT_URL_S3: s3.url.replace('http:', 'https:') };
  const at = `s3://${BUCKET}/shop`;
  await s3Folder(at, { ...env, AWS_CA_BUNDLE: bundle }).write({ path: 'x', content: 'content' });
  expect(s3.objects.size).toBe(1);
  await expect(s3Folder(at, env).read('x')).rejects.toThrow(/certificate.*AWS_CA_BUNDLE/);
  const missing = { ...env, AWS_CA_BUNDLE: join(folder, 'other.pem') };
  await expect(s3Folder(at, missing).read('x')).rejects.toThrow(/AWS_CA_BUNDLE: .*other\.pem/);
  s3.server.closeAllConnections();
  s3.server.close();
  rmSync(folder, { recursive: true });
});
