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

// Well-known brands: sample data of ours, so users find the names they try.

/** Names by category, separated by bars. */
type KnownBrands = Readonly<Partial<Record<Category, string>>>;

const EVERYWHERE = 0;

/** Brands sold in many countries, by the smallest market that sells them. */
export const WORLDWIDE_BRANDS: readonly (readonly [fromMarketSize: number, KnownBrands])[] = [
  [EVERYWHERE, { 'e-sim': 'eSIM' }],
  [MEDIUM, { games: 'Steam', streaming: 'Netflix' }],
  [
    LARGE,
    {
      games: 'Google Play|PlayStation|Xbox|Roblox',
      streaming: 'Spotify',
      entertainment: 'Apple',
      travel_flights: 'Uber',
    },
  ],
  [
    LARGEST,
    {
      games:
        'Nintendo eShop|Razer Gold|Free Fire|PUBG Mobile|Valorant|Fortnite|Minecraft|League of Legends',
      streaming: 'Disney+|Twitch|Deezer|Crunchyroll',
      travel_flights: 'Airbnb|Hotels.com|Flightgift|Hotelgift',
      food: 'Uber Eats|Starbucks',
      apparel_clothing: 'Nike|adidas|Zara|H&M',
      home: 'IKEA',
      sports_fitness: 'Decathlon',
      health_beauty: 'Sephora',
      'e-money': 'Virtual Prepaid Mastercard',
      charity_donations: 'UNICEF|Red Cross',
      other_products: 'NordVPN|Microsoft 365',
    },
  ],
];

const UNITED_STATES: KnownBrands = {
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

/** Brands of the largest markets, by lowercase country code; other countries have the worldwide ones. */
export const LOCAL_BRANDS: Readonly<Record<string, KnownBrands>> = {
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
};

// Mobile operators: sample data of ours. The names are real, the products are not.

/** Operators of countries that `OPERATORS` does not name. */
export const OTHER_OPERATORS = 'Airtel|Vodafone';

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
};
