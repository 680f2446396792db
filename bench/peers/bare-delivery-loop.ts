import { readFileSync } from 'node:fs';
import { Agent } from 'undici';

// `node bench/peers/bare-delivery-loop.ts FILE HOSTS CONNECTIONS`: posts the bodies of a file, a JSON array of {url,
// body}, to HOSTS hosts over CONNECTIONS connections each, and prints the rate per second. It signs, checks and records
// nothing.

type Post = { url: string; body: string };

const [file = '', hosts = '', connections = ''] = process.argv.slice(2);
const concurrency = Number(hosts) * Number(connections);
const posts = JSON.parse(readFileSync(file, 'utf8')) as Post[];
const agent = new Agent({ connections: Number(connections) });
const headers = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Bench' };

await postAll(posts.slice(0, 1_000));
const startedAt = performance.now();
await postAll(posts);
process.stdout.write(`${(posts.length / (performance.now() - startedAt)) * 1000}\n`);
await agent.close();

async function postAll(all: readonly Post[]): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let post = all[next++]; post !== undefined; post = all[next++]) {
      const { origin, pathname } = new URL(post.url);
      const { statusCode, body } = await agent.request({
        origin,
        path: pathname,
        method: 'POST',
        headers,
        body: post.body,
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`the receiver answered ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
