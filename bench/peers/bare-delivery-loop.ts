import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

// `node bench/peers/bare-delivery-loop.ts FILE CONCURRENCY`: posts the bodies of a file, a JSON array of {url, body},
// over as many connections at once, and prints how many a second. Nothing is signed, checked or recorded.

type Post = { url: string; body: string };

const [file = '', concurrency = ''] = process.argv.slice(2);
const posts = JSON.parse(readFileSync(file, 'utf8')) as Post[];
const { origin } = new URL(posts[0]?.url ?? '');
const pool = new Pool(origin, { connections: Number(concurrency) });
const headers = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Bench' };

await postAll(posts.slice(0, 1_000));
const startedAt = performance.now();
await postAll(posts);
process.stdout.write(`${(posts.length / (performance.now() - startedAt)) * 1000}\n`);
await pool.close();

async function postAll(all: readonly Post[]): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let post = all[next++]; post !== undefined; post = all[next++]) {
      const { statusCode, body } = await pool.request({
        path: new URL(post.url).pathname,
        method: 'POST',
        headers,
        body: post.body,
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`the receiver answered ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, work));
}
