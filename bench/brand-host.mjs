// A host that has one list of brands ready: `fork` it with their number. It tells its address.
import { createServer } from 'node:http';

const CATEGORIES = ['games', 'food', 'mobile_credits', 'travel', 'streaming'];
const brands = Array.from({ length: Number(process.argv[2]) }, (_, index) => ({
  brand_name: `Brand ${index} of the High Street`,
  family: index % 5 === 2 ? 'Mobile Recharge' : 'Gift Cards',
  category: CATEGORIES[index % CATEGORIES.length],
  min: String(5 + (index % 7)),
  max: `${100 + (index % 50)}.50`,
}));
const body = Buffer.from(JSON.stringify(brands));
const server = createServer(({ url }, response) => {
  if (url.startsWith('/api/')) {
    return response.end('[{"code":"us","name":"United States","currency":"USD"}]');
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  return response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}`, bytes: body.length });
});
