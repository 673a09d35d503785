import assert from 'node:assert/strict';

const take = (user, worker) =>
  user.transaction(async (query) => {
    const [job] = await query("select id from jobs where state = 'new' order by id limit 1");
    if (job === undefined) return null;
    await query("update jobs set state = 'taken', worker = ? where id = ?", worker, job.id);
    return job.id;
  });

const finish = (user, job) =>
  user.transaction(async (query) => {
    const [{ state }] = await query('select state from jobs where id = ?', job);
    if (state === 'taken') await query("update jobs set state = 'done' where id = ?", job);
  });

const retry = (user, job) =>
  user.transaction(async (query) => {
    const [{ state, tries }] = await query('select state, tries from jobs where id = ?', job);
    if (state === 'done') await query("update jobs set state = 'new', tries = ? where id = ?", tries + 1, job);
  });

export const tables = [
  'create table jobs (id int primary key, state varchar(10) not null, worker int not null, tries int not null)',
  "insert into jobs values (1, 'new', 0, 0), (2, 'done', 0, 0)",
];

export const requests = [
  async (user) => assert.equal(await take(user, 7), 1),
  (user) => finish(user, 1),
  (user) => retry(user, 2),
  async (user) => assert.equal(await take(user, 9), 2),
  (user) => finish(user, 2),
];
