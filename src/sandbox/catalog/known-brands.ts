/** Well-known brands and operators, and how many brands each country has: sample data of ours. */

import type { Category } from '../../domain/product/categories.ts';
import { draw, hash32 } from './draw.ts';

/** Countries of a similar size: each has `size` brands, plus up to `spread - 1` more. */
interface Tier {
  readonly size: number;
  readonly spread: number;
  readonly countries: string;
}

/** Market sizes; a country in no tier is `SMALL`. */
const LARGEST = 180;
const LARGE = 112;
const MEDIUM = 68;
const MODEST = 36;
const SMALL = 20;
const SMALL_SPREAD = 6;

const TIERS: readonly Tier[] = [
  { size: 420, spread: 1, countries: 'us' },
  { size: LARGEST, spread: 26, countries: 'gb de fr it es ca au br mx in jp' },
  {
    size: LARGE,
    spread: 20,
    countries: 'nl pl se ch at be pt ie tr ae sa za kr sg ph id my th vn ar co cl ng',
  },
  {
    size: MEDIUM,
    spread: 14,
    countries:
      'dk no fi cz gr hu ro nz il eg ma ke gh pe ec ua hk tw pk bd qa kw kz do cr gt pa uy cn',
  },
  {
    size: MODEST,
    spread: 8,
    countries:
      'bg hr sk si lt lv ee lu cy mt is rs ba al mk me ge am az uz jo lb om bh tn dz ci sn cm ug tz ' +
      'et zm zw lk np kh sv hn ni bo py ve jm tt pr mu',
  },
];

const sizes = new Map(
  TIERS.flatMap(({ size, spread, countries }) =>
    countries.split(' ').map((code) => [code, { size, spread }] as const),
  ),
);

/** Returns the number of brands in a country, the same for every seed. */
export function marketSize(countryCode: string): number {
  const { size, spread } = sizes.get(countryCode) ?? { size: SMALL, spread: SMALL_SPREAD };
  return size + draw(hash32(countryCode), 'market', spread);
}

// Well-known brands sold in many countries: sample data of ours, so users find the names they try.

/** Brands of one category, separated by bars, and the smallest market that sells them. */
interface WorldwideBrands {
  readonly fromMarketSize: number;
  readonly category: Category;
  readonly names: string;
}

const EVERYWHERE = 0;

export const WORLDWIDE_BRANDS: readonly WorldwideBrands[] = [
  { fromMarketSize: EVERYWHERE, category: 'e-sim', names: 'eSIM' },
  { fromMarketSize: MEDIUM, category: 'games', names: 'Steam' },
  { fromMarketSize: MEDIUM, category: 'streaming', names: 'Netflix' },
  {
    fromMarketSize: LARGE,
    category: 'games',
    names: 'Google Play|PlayStation|Xbox|Roblox',
  },
  { fromMarketSize: LARGE, category: 'streaming', names: 'Spotify' },
  { fromMarketSize: LARGE, category: 'entertainment', names: 'Apple' },
  { fromMarketSize: LARGE, category: 'travel_flights', names: 'Uber' },
  {
    fromMarketSize: LARGEST,
    category: 'games',
    names:
      'Nintendo eShop|Razer Gold|Free Fire|PUBG Mobile|Valorant|Fortnite|Minecraft|League of Legends',
  },
  {
    fromMarketSize: LARGEST,
    category: 'streaming',
    names: 'Disney+|Twitch|Deezer|Crunchyroll',
  },
  {
    fromMarketSize: LARGEST,
    category: 'travel_flights',
    names: 'Airbnb|Hotels.com|Flightgift|Hotelgift',
  },
  { fromMarketSize: LARGEST, category: 'food', names: 'Uber Eats|Starbucks' },
  { fromMarketSize: LARGEST, category: 'apparel_clothing', names: 'Nike|adidas|Zara|H&M' },
  { fromMarketSize: LARGEST, category: 'home', names: 'IKEA' },
  { fromMarketSize: LARGEST, category: 'sports_fitness', names: 'Decathlon' },
  { fromMarketSize: LARGEST, category: 'health_beauty', names: 'Sephora' },
  { fromMarketSize: LARGEST, category: 'e-money', names: 'Virtual Prepaid Mastercard' },
  { fromMarketSize: LARGEST, category: 'charity_donations', names: 'UNICEF|Red Cross' },
  { fromMarketSize: LARGEST, category: 'other_products', names: 'NordVPN|Microsoft 365' },
];

// Well-known brands of single countries: sample data of ours, beside the invented ones.

/** Names by category, separated by bars. */
type LocalBrands = Readonly<Partial<Record<Category, string>>>;

const UNITED_STATES: LocalBrands = {
  'e-commerce': 'Amazon.com|eBay|Etsy|Wayfair',
  retail:
    "Walmart|Target|Macy's|Kohl's|Nordstrom|JCPenney|Bloomingdale's|TJ Maxx|Saks Fifth Avenue",
  electronics: 'Best Buy|GameStop|Newegg',
  food:
    "DoorDash|Grubhub|McDonald's|Domino's|Burger King|KFC|Subway|Chipotle|Dunkin'|Taco Bell|Pizza Hut|" +
    "Applebee's|Chili's|Olive Garden|The Cheesecake Factory|Panera Bread|Texas Roadhouse|Wendy's|Papa Johns",
  groceries: 'Whole Foods Market|Instacart|Kroger|Safeway|Albertsons|Publix',
  games: 'Riot Access|Blizzard|EA Play|Meta Quest|Jackbox Games',
  entertainment: "AMC Theatres|Fandango|Regal|StubHub|Ticketmaster|Dave & Buster's",
  streaming: 'Hulu|Paramount+|Max|Peacock|Sling TV|DAZN',
  apparel_clothing:
    "Gap|Old Navy|Banana Republic|American Eagle|Foot Locker|Levi's|Under Armour|DSW|Aéropostale|Hollister|" +
    "Abercrombie & Fitch|J.Crew|Lululemon|Victoria's Secret",
  health_beauty: 'Ulta Beauty|CVS|Walgreens|Bath & Body Works|GNC',
  sports_fitness: "Dick's Sporting Goods|REI|Bass Pro Shops|Cabela's|Peloton|Fanatics",
  travel_flights:
    'Delta Air Lines|Southwest Airlines|American Airlines|Lyft|Marriott|Hilton|Amtrak|Carnival',
  home: "The Home Depot|Lowe's|Bed Bath & Beyond|Crate & Barrel|Pottery Barn|Williams Sonoma|Ace Hardware",
  'e-money': 'Visa Virtual Gift Card',
  charity_donations: 'charity: water|Feeding America|St. Jude',
  other_products: 'ChatGPT Plus|Duolingo Super|1-800-Flowers|PetSmart|Petco|Chewy',
};

/** Brands by lowercase country code. */
export const LOCAL_BRANDS: Readonly<Record<string, LocalBrands>> = {
  us: UNITED_STATES,
  gb: {
    'e-commerce': 'Amazon.co.uk|eBay',
    retail: 'Argos|John Lewis|Marks & Spencer|Selfridges|Primark',
    electronics: 'Currys',
    groceries: "Tesco|Sainsbury's|Asda|Waitrose|Morrisons",
    food: "Deliveroo|Just Eat|Pizza Express|Greggs|Costa Coffee|Nando's",
    apparel_clothing: 'ASOS|Next|River Island|JD Sports',
    health_beauty: 'Boots|The Body Shop',
    entertainment: 'ODEON|Cineworld|Vue',
    home: 'B&Q|Dunelm',
    charity_donations: 'Oxfam|British Heart Foundation',
  },
  de: {
    'e-commerce': 'Amazon.de|Otto|Zalando',
    electronics: 'MediaMarkt|Saturn|Conrad',
    groceries: 'REWE|EDEKA|Lidl',
    food: 'Lieferando|Vapiano',
    health_beauty: 'dm|Rossmann|Douglas',
    home: 'OBI|Hornbach',
    entertainment: 'CinemaxX|Eventim',
    travel_flights: 'Deutsche Bahn|Lufthansa|FlixBus',
    'e-money': 'paysafecard',
  },
  fr: {
    'e-commerce': 'Amazon.fr|Cdiscount|Zalando',
    electronics: 'Fnac|Darty|Boulanger',
    groceries: 'Carrefour|Auchan|Monoprix',
    retail: 'Galeries Lafayette',
    home: 'Leroy Merlin|Maisons du Monde|Conforama',
    travel_flights: 'SNCF Connect|Air France',
    entertainment: 'Pathé|UGC',
    'e-money': 'Neosurf|PCS Mastercard',
  },
  it: {
    'e-commerce': 'Amazon.it|Zalando',
    electronics: 'MediaWorld|Unieuro',
    groceries: 'Esselunga|Carrefour|Conad',
    health_beauty: 'Douglas',
    home: 'Leroy Merlin',
    travel_flights: 'Trenitalia|Italo',
  },
  es: {
    'e-commerce': 'Amazon.es|Zalando',
    retail: 'El Corte Inglés',
    electronics: 'MediaMarkt|PcComponentes',
    groceries: 'Carrefour|Mercadona',
    food: 'Glovo|Telepizza',
    apparel_clothing: 'Mango|Bershka',
    travel_flights: 'Renfe|Iberia',
    'e-money': 'Bitsa',
  },
  ca: {
    'e-commerce': 'Amazon.ca|eBay',
    retail: 'Walmart|Canadian Tire|Indigo',
    electronics: 'Best Buy',
    food: 'Tim Hortons|SkipTheDishes|DoorDash',
    groceries: 'Loblaws|Sobeys',
    entertainment: 'Cineplex',
    sports_fitness: 'Sport Chek',
  },
  au: {
    'e-commerce': 'Amazon.com.au|eBay|Catch',
    retail: 'Myer|Kmart|Big W|JB Hi-Fi',
    groceries: 'Woolworths|Coles',
    home: 'Bunnings',
    food: 'DoorDash|Menulog',
    'e-money': 'Neosurf',
  },
  br: {
    'e-commerce': 'Amazon.com.br|Magazine Luiza|Mercado Livre|Americanas',
    retail: 'Casas Bahia|Renner|Riachuelo',
    food: 'iFood|Outback Steakhouse|Burger King',
    groceries: 'Carrefour|Pão de Açúcar',
    games: 'Level Up|Habblet',
    streaming: 'Globoplay',
    travel_flights: '99|Decolar',
    health_beauty: 'O Boticário|Natura',
    mobile_credits: 'Claro Credits|Vivo Credits|TIM Credits',
    mobile_bundle: 'Claro Bundles|Vivo Bundles',
  },
  mx: {
    'e-commerce': 'Amazon.com.mx|Mercado Libre',
    retail: 'Liverpool|Walmart|Coppel|Sears',
    food: 'Rappi|DiDi Food|Vips',
    entertainment: 'Cinépolis|Cinemex',
    travel_flights: 'DiDi|Volaris',
    'e-money': 'OXXO Pay Voucher',
    mobile_bundle: 'Telcel Amigo Bundles',
  },
  in: {
    'e-commerce': 'Amazon.in|Flipkart|Myntra',
    food: "Swiggy|Zomato|Domino's",
    groceries: 'BigBasket|Blinkit',
    retail: 'Shoppers Stop|Lifestyle|Westside',
    entertainment: 'BookMyShow|PVR Cinemas',
    travel_flights: 'MakeMyTrip|Ola|Yatra',
    health_beauty: 'Nykaa',
    streaming: 'ZEE5|SonyLIV',
  },
  jp: {
    'e-commerce': 'Amazon.co.jp|Rakuten',
    games: 'WebMoney|BitCash|DMM',
    retail: 'UNIQLO|Don Quijote',
    electronics: 'Yodobashi Camera|BIC CAMERA',
    entertainment: 'TOHO Cinemas',
    'e-money': 'QUO Card Pay',
  },
  nl: {
    'e-commerce': 'Amazon.nl|bol.|Zalando',
    groceries: 'Albert Heijn|Jumbo',
    retail: 'HEMA|de Bijenkorf',
    electronics: 'Coolblue|MediaMarkt',
    food: 'Thuisbezorgd.nl',
  },
  se: { 'e-commerce': 'Amazon.se', groceries: 'ICA', electronics: 'Elgiganten' },
  pl: { 'e-commerce': 'Amazon.pl|Allegro|Zalando', groceries: 'Biedronka|Żabka', retail: 'Empik' },
  be: {
    'e-commerce': 'Amazon.com.be|bol.',
    groceries: 'Delhaize|Carrefour',
    electronics: 'Krëfel',
  },
  ch: { electronics: 'Digitec|Interdiscount', groceries: 'Migros|Coop', retail: 'Manor' },
  at: { groceries: 'BILLA|SPAR', electronics: 'MediaMarkt', 'e-money': 'paysafecard' },
  pt: { groceries: 'Continente|Pingo Doce', electronics: 'Worten|Fnac', food: 'Glovo' },
  ie: { 'e-commerce': 'Amazon.ie', retail: 'Penneys|Dunnes Stores', groceries: 'SuperValu' },
  tr: {
    'e-commerce': 'Amazon.com.tr|Hepsiburada|Trendyol',
    groceries: 'Migros',
    food: 'Yemeksepeti',
  },
  ae: { 'e-commerce': 'Amazon.ae|Noon', groceries: 'Carrefour|LuLu', travel_flights: 'Careem' },
  sa: { 'e-commerce': 'Amazon.sa|Noon', electronics: 'Jarir|eXtra', food: 'HungerStation|Jahez' },
  za: { 'e-commerce': 'Takealot', groceries: 'Checkers|Pick n Pay', retail: 'Woolworths' },
  kr: { 'e-commerce': 'Coupang', food: 'Baemin', retail: 'Shinsegae|Lotte' },
  sg: { 'e-commerce': 'Amazon.sg|Shopee|Lazada', travel_flights: 'Grab', groceries: 'FairPrice' },
  ph: {
    'e-commerce': 'Lazada|Shopee',
    food: 'Jollibee|foodpanda',
    travel_flights: 'Grab',
    'e-money': 'GCash Voucher',
  },
  id: {
    'e-commerce': 'Tokopedia|Shopee',
    travel_flights: 'Gojek|Grab',
    groceries: 'Alfamart|Indomaret',
  },
  my: { 'e-commerce': 'Lazada|Shopee', travel_flights: 'Grab', 'e-money': "Touch 'n Go" },
  th: { 'e-commerce': 'Lazada|Shopee', groceries: "Lotus's|Big C", retail: 'Central' },
  vn: { 'e-commerce': 'Shopee|Tiki', groceries: 'WinMart', games: 'Garena|Zing' },
  ar: { 'e-commerce': 'Mercado Libre', groceries: 'Carrefour|Coto', food: 'PedidosYa|Rappi' },
  co: { 'e-commerce': 'Mercado Libre|Falabella', groceries: 'Éxito', food: 'Rappi' },
  cl: { 'e-commerce': 'Mercado Libre|Falabella', retail: 'Ripley|Paris', groceries: 'Jumbo' },
  ng: { 'e-commerce': 'Jumia|Konga', groceries: 'Shoprite', travel_flights: 'Bolt' },
  eg: { 'e-commerce': 'Amazon.eg|Jumia|Noon', groceries: 'Carrefour' },
  ke: { 'e-commerce': 'Jumia', groceries: 'Naivas|Carrefour', travel_flights: 'Bolt' },
  gh: { 'e-commerce': 'Jumia', groceries: 'Melcom' },
  il: { groceries: 'Shufersal', retail: 'BUYME' },
  ro: { 'e-commerce': 'eMAG', groceries: 'Kaufland|Carrefour' },
  cz: { 'e-commerce': 'Alza', groceries: 'Albert', food: 'Wolt' },
  hu: { 'e-commerce': 'eMAG', food: 'Wolt' },
  gr: { electronics: 'Kotsovolos|Public', food: 'efood' },
  fi: { groceries: 'Prisma|K-Market', food: 'Wolt' },
  dk: { electronics: 'Elgiganten', food: 'Wolt', groceries: 'Netto' },
  no: { electronics: 'Elkjøp', groceries: 'REMA 1000' },
  nz: { retail: 'The Warehouse|Farmers', groceries: 'Countdown' },
  pk: { 'e-commerce': 'Daraz', food: 'foodpanda' },
  bd: { 'e-commerce': 'Daraz', food: 'foodpanda' },
  pe: { 'e-commerce': 'Falabella', food: 'Rappi' },
  tw: { groceries: 'PX Mart', retail: 'Eslite' },
  hk: { groceries: 'ParknShop|Wellcome', retail: 'HKTVmall' },
};

// Mobile operators by country: sample data of ours. The names are real, the products are not.

/** Operators that sell talk time: names separated by bars, by lowercase country code. */
export const OPERATORS: Readonly<Record<string, string>> = {
  us: 'AT&T|T-Mobile|Verizon|Cricket|Boost Mobile|Metro by T-Mobile|Mint Mobile|Tracfone|Ultra Mobile|Lycamobile|H2O Wireless|Simple Mobile',
  gb: 'Vodafone|EE|O2|Three|giffgaff|Lebara|Lycamobile|Tesco Mobile',
  de: 'Telekom|Vodafone|O2|congstar|Lebara|Lycamobile|ALDI Talk',
  fr: 'Orange|SFR|Bouygues Telecom|Lebara|Lycamobile',
  it: 'TIM|Vodafone|WindTre|Iliad|ho. Mobile|Fastweb|Lycamobile',
  es: 'Movistar|Orange|Vodafone|Yoigo|Lebara|Lycamobile',
  ca: 'Rogers|Bell|Telus|Fido|Virgin Plus|Chatr|Lucky Mobile|Public Mobile',
  au: 'Telstra|Optus|Vodafone|Boost Mobile|amaysim|Lebara|Lycamobile',
  br: 'Claro|Vivo|TIM|Oi',
  mx: 'Telcel|Movistar|AT&T|Unefon|Bait',
  in: 'Airtel|Jio|Vi|BSNL',
  jp: 'NTT Docomo|au|SoftBank|Rakuten Mobile',
  nl: 'KPN|Vodafone|Odido|Lebara|Lycamobile',
  pl: 'Orange|Play|Plus|T-Mobile|Heyah',
  se: 'Telia|Comviq|Tele2|Tre|Lycamobile',
  ch: 'Swisscom|Sunrise|Salt',
  at: 'A1|Magenta|Drei|bob',
  be: 'Proximus|Orange|Base|Lycamobile',
  pt: 'MEO|NOS|Vodafone|Lycamobile',
  ie: 'Vodafone|Three|Eir|Lycamobile',
  tr: 'Turkcell|Vodafone|Türk Telekom',
  ae: 'Etisalat|du|Virgin Mobile',
  sa: 'STC|Mobily|Zain|Virgin Mobile',
  za: 'Vodacom|MTN|Cell C|Telkom',
  kr: 'SK Telecom|KT|LG U+',
  sg: 'Singtel|StarHub|M1',
  ph: 'Globe|Smart|TNT|DITO|TM',
  id: 'Telkomsel|XL Axiata|Indosat|Tri|Smartfren',
  my: 'Maxis|CelcomDigi|U Mobile|Hotlink',
  th: 'AIS|dtac|TrueMove H',
  vn: 'Viettel|MobiFone|Vinaphone|Vietnamobile',
  ar: 'Claro|Movistar|Personal|Tuenti',
  co: 'Claro|Movistar|Tigo|WOM',
  cl: 'Entel|Movistar|Claro|WOM',
  ng: 'MTN|Airtel|Glo|9mobile',
  dk: 'TDC|Lebara|Lycamobile',
  no: 'Telenor|Telia|Lycamobile',
  fi: 'Elisa|DNA|Telia',
  cz: 'O2|T-Mobile|Vodafone',
  gr: 'Cosmote|Vodafone|Nova',
  hu: 'Yettel|Vodafone|Telekom',
  ro: 'Orange|Vodafone|Telekom|Digi',
  nz: 'Spark|One NZ|2degrees|Skinny',
  il: 'Cellcom|Partner|Pelephone',
  eg: 'Vodafone|Orange|Etisalat|WE',
  ma: 'Maroc Telecom|Orange|Inwi',
  ke: 'Safaricom|Airtel|Telkom',
  gh: 'MTN|Telecel|AirtelTigo',
  pe: 'Claro|Movistar|Entel|Bitel',
  ec: 'Claro|Movistar|CNT',
  ua: 'Kyivstar|Vodafone|lifecell',
  hk: 'CSL|SmarTone|China Mobile',
  tw: 'Chunghwa Telecom|Taiwan Mobile|FarEasTone',
  pk: 'Jazz|Zong|Telenor|Ufone',
  bd: 'Grameenphone|Robi|Banglalink|Airtel',
  qa: 'Ooredoo|Vodafone',
  kw: 'Zain|Ooredoo|STC',
  kz: 'Beeline|Kcell|Tele2',
  do: 'Claro|Altice|Viva',
  cr: 'Kolbi|Claro|Liberty',
  gt: 'Claro|Tigo',
  pa: '+Móvil|Tigo|Digicel',
  uy: 'Antel|Claro|Movistar',
  cn: 'China Mobile|China Unicom|China Telecom',
  ci: 'Orange|MTN|Moov',
  sn: 'Orange|Free|Expresso',
  cm: 'MTN|Orange',
  ml: 'Orange|Moov',
  bf: 'Orange|Moov',
  bj: 'MTN|Moov',
  ug: 'MTN|Airtel',
  tz: 'Vodacom|Airtel|Tigo',
  et: 'Ethio Telecom|Safaricom',
  zm: 'MTN|Airtel|Zamtel',
  zw: 'Econet|NetOne',
  rw: 'MTN|Airtel',
  mw: 'Airtel|TNM',
  mg: 'Airtel|Orange|Telma',
  cd: 'Vodacom|Airtel|Orange',
  mz: 'Vodacom|Movitel|Tmcel',
  bw: 'Mascom|Orange',
  na: 'MTC',
  lr: 'Orange|Lonestar MTN',
  sl: 'Orange|Africell',
  gm: 'Africell|QCell',
  ga: 'Airtel|Moov',
  cg: 'MTN|Airtel',
  ne: 'Airtel|Zamani',
  jm: 'Digicel|Flow',
  tt: 'Digicel|bmobile',
  ht: 'Digicel|Natcom',
  bb: 'Digicel|Flow',
  gy: 'Digicel|GTT',
  sv: 'Claro|Tigo|Movistar|Digicel',
  hn: 'Claro|Tigo',
  ni: 'Claro|Tigo',
  bo: 'Tigo|Entel|Viva',
  py: 'Tigo|Personal|Claro',
  ve: 'Movistar|Digitel|Movilnet',
  pr: 'Claro|AT&T|T-Mobile',
  lk: 'Dialog|Mobitel|Hutch|Airtel',
  np: 'Ncell|Nepal Telecom',
  kh: 'Smart|Cellcard|Metfone',
  la: 'Unitel|Lao Telecom',
  jo: 'Zain|Orange|Umniah',
  lb: 'Alfa|touch',
  om: 'Omantel|Ooredoo',
  bh: 'Batelco|Zain|STC',
  iq: 'Zain|Asiacell|Korek',
  tn: 'Ooredoo|Orange|Tunisie Telecom',
  dz: 'Djezzy|Mobilis|Ooredoo',
  ge: 'Magti|Silknet|Cellfie',
  am: 'Team|Ucom|Viva',
  az: 'Azercell|Bakcell|Nar',
  uz: 'Beeline|Ucell|Uzmobile',
  kg: 'Beeline|MegaCom|O!',
  md: 'Orange|Moldcell',
  bg: 'A1|Yettel|Vivacom',
  hr: 'A1|Telemach',
  rs: 'mts|Yettel|A1',
  sk: 'Orange|O2|Telekom',
  si: 'A1|Telemach|Telekom',
  al: 'Vodafone|ONE',
  xk: 'Vala|IPKO',
  fj: 'Vodafone|Digicel',
  pg: 'Digicel',
  ws: 'Digicel|Vodafone',
};
