// Run: node run.mjs shop. Sends the requests of an application one after the other, each from another of three users.
import { open } from './database.mjs';

const { requests } = await import(`./${process.argv[2]}.mjs`);
const users = [await open(), await open(), await open()];
for (const [i, request] of requests.entries())
  await request(users[i % users.length]).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
for (const user of users) await user.end();
