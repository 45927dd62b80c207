// What all clients in Node do alike: see clients/main.rs.
export const toldWait = (value) =>
  /^\d+$/.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - Date.now());

const fail = (words) => {
  throw new Error(words);
};

// `get` gives the body of a path; `isTimeout` knows the error of a passed limit.
export async function visit(get, isTimeout) {
  await get('/date');
  await get('/wait');
  await get('/silent').then(
    () => fail('an answer from the silent'),
    (error) => isTimeout(error) || fail(error),
  );
  if ((await get('/delay')) !== 'done') fail('delay');
  if ((await get('/parts')) !== 'done') fail('parts');
  await get('/end');
}
