// A world of Jolt with bodies, constraints and one cloth behind a few C functions; `ffi.rs` declares the same.
// Settings that are not named here are Jolt's defaults.

#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/GroupFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/OffsetCenterOfMassShape.h>
#include <Jolt/Physics/Collision/Shape/RotatedTranslatedShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/Shape/StaticCompoundShape.h>
#include <Jolt/Physics/Constraints/FixedConstraint.h>
#include <Jolt/Physics/Constraints/HingeConstraint.h>
#include <Jolt/Physics/Constraints/PointConstraint.h>
#include <Jolt/Physics/Constraints/SwingTwistConstraint.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/Physics/SoftBody/SoftBodyCreationSettings.h>
#include <Jolt/Physics/SoftBody/SoftBodyMotionProperties.h>
#include <Jolt/RegisterTypes.h>

using namespace JPH;

namespace {

// Bodies are in two layers: what stands still touches only what moves.
constexpr ObjectLayer STANDS = 0, MOVES = 1;

struct Layers final : BroadPhaseLayerInterface {
    uint GetNumBroadPhaseLayers() const override { return 2; }
    BroadPhaseLayer GetBroadPhaseLayer(ObjectLayer layer) const override {
        return BroadPhaseLayer(BroadPhaseLayer::Type(layer));
    }
};

struct LayerMeetsTree final : ObjectVsBroadPhaseLayerFilter {
    bool ShouldCollide(ObjectLayer layer, BroadPhaseLayer tree) const override {
        return layer == MOVES || tree == BroadPhaseLayer(MOVES);
    }
};

struct LayersMeet final : ObjectLayerPairFilter {
    bool ShouldCollide(ObjectLayer a, ObjectLayer b) const override { return a == MOVES || b == MOVES; }
};

struct World {
    Layers layers;
    LayerMeetsTree layer_meets_tree;
    LayersMeet layers_meet;
    TempAllocatorImpl memory{256 << 20};
    JobSystemSingleThreaded jobs{cMaxPhysicsJobs};
    PhysicsSystem system;
    Array<Body *> bodies;
    Array<Ref<GroupFilterTable>> filters;
    Body *cloth = nullptr;
};

Vec3 vector(const float *v) { return Vec3(v[0], v[1], v[2]); }
Quat rotation(const float *q) { return Quat(q[0], q[1], q[2], q[3]).Normalized(); }

void start_jolt() {
    if (Factory::sInstance == nullptr) {
        RegisterDefaultAllocator();
        Factory::sInstance = new Factory();
        RegisterTypes();
    }
}

} // namespace

extern "C" {

enum ShapeKind { SPHERE, CAPSULE, BOX, HULL };
enum JointKind { POINT, SWING_TWIST, HINGE, FIXED };

struct JoltShape {
    int kind;
    float size[3]; // radius; radius and half length along y; half extents
    float position[3], rotation[4];
    const float *points;
    int point_count;
};

struct JoltBody {
    float mass, moments[3]; // a mass of 0 stands still
    float position[3], rotation[4], velocity[3], spin[3];
    float friction, restitution;
    const JoltShape *shapes;
    int shape_count;
    int filter, place; // filter -1: touches all; place: number within the filter
};

struct JoltJoint {
    int kind, parent, child; // parent -1: the world
    float anchors[2][3], axes[2][4];
    float swing[2], range[2]; // swing about y and z; range of the hinge or of twist
};

struct JoltCloth {
    const float *points;
    int point_count;
    const int *triangles;
    int triangle_count;
    const int *pinned;
    int pinned_count;
    float mass, radius, friction, damping;
    int iterations; // 0: Jolt's default
};

static ShapeRefC part_of(const JoltShape &said) {
    Ref<ConvexShapeSettings> settings;
    switch (said.kind) {
    case SPHERE:
        settings = new SphereShapeSettings(said.size[0]);
        break;
    case CAPSULE:
        settings = new CapsuleShapeSettings(said.size[1], said.size[0]);
        break;
    case BOX: {
        Vec3 half = vector(said.size);
        settings = new BoxShapeSettings(half, min(cDefaultConvexRadius, 0.5f * half.ReduceMin()));
        break;
    }
    default: {
        Array<Vec3> points;
        for (int i = 0; i < said.point_count; ++i)
            points.push_back(vector(said.points + 3 * i));
        settings = new ConvexHullShapeSettings(points);
    }
    }
    ShapeSettings::ShapeResult made = settings->Create();
    return made.IsValid() ? ShapeRefC(made.Get()) : ShapeRefC();
}

// The shape of a body; its center of mass is the origin.
static ShapeRefC shape_of(const JoltBody &said) {
    StaticCompoundShapeSettings compound;
    ShapeRefC whole;
    for (int i = 0; i < said.shape_count; ++i) {
        const JoltShape &part = said.shapes[i];
        ShapeRefC shape = part_of(part);
        if (shape == nullptr)
            return shape;
        Vec3 place = vector(part.position);
        Quat turn = rotation(part.rotation);
        if (said.shape_count > 1)
            compound.AddShape(place, turn, shape);
        else if (place == Vec3::sZero() && turn == Quat::sIdentity())
            whole = shape;
        else
            whole = new RotatedTranslatedShape(place, turn, shape);
    }
    if (said.shape_count > 1) {
        ShapeSettings::ShapeResult made = compound.Create();
        if (!made.IsValid())
            return ShapeRefC();
        whole = made.Get();
    }
    Vec3 center = whole->GetCenterOfMass();
    if (said.mass > 0 && center.Length() > 1.0e-6f)
        whole = new OffsetCenterOfMassShape(whole, -center);
    return whole;
}

void *jolt_new(const float *gravity, int bodies) {
    start_jolt();
    World *world = new World;
    world->system.Init(uint(bodies) + 16, 0, 65536, 65536, world->layers, world->layer_meets_tree, world->layers_meet);
    world->system.SetGravity(vector(gravity));
    return world;
}

void jolt_free(void *pointer) {
    World *world = static_cast<World *>(pointer);
    Constraints constraints = world->system.GetConstraints();
    for (Constraint *constraint : constraints)
        world->system.RemoveConstraint(constraint);
    BodyInterface &bodies = world->system.GetBodyInterfaceNoLock();
    if (world->cloth != nullptr)
        world->bodies.push_back(world->cloth);
    for (Body *body : world->bodies) {
        bodies.RemoveBody(body->GetID());
        bodies.DestroyBody(body->GetID());
    }
    delete world;
}

// A filter of `places` bodies, of which `pairs` do not touch.
int jolt_filter(void *pointer, int places, const int *pairs, int pair_count) {
    World *world = static_cast<World *>(pointer);
    Ref<GroupFilterTable> filter = new GroupFilterTable(uint(places));
    for (int i = 0; i < pair_count; ++i)
        filter->DisableCollision(uint(pairs[2 * i]), uint(pairs[2 * i + 1]));
    world->filters.push_back(filter);
    return int(world->filters.size()) - 1;
}

// Adds a body and returns its number, or -1 if Jolt does not take a shape.
int jolt_body(void *pointer, const JoltBody *said) {
    World *world = static_cast<World *>(pointer);
    ShapeRefC shape = shape_of(*said);
    if (shape == nullptr)
        return -1;
    bool moves = said->mass > 0;
    BodyCreationSettings settings(shape, vector(said->position), rotation(said->rotation),
                                  moves ? EMotionType::Dynamic : EMotionType::Static, moves ? MOVES : STANDS);
    settings.mFriction = said->friction;
    settings.mRestitution = said->restitution;
    if (moves) {
        settings.mOverrideMassProperties = EOverrideMassProperties::MassAndInertiaProvided;
        settings.mMassPropertiesOverride.mMass = said->mass;
        settings.mMassPropertiesOverride.mInertia = Mat44::sScale(vector(said->moments));
        settings.mLinearVelocity = vector(said->velocity);
        settings.mAngularVelocity = vector(said->spin);
        settings.mAllowSleeping = false;
        // The other peers have no damping and no such limit.
        settings.mLinearDamping = settings.mAngularDamping = 0.0f;
        settings.mMaxAngularVelocity = 500.0f;
    }
    if (said->filter >= 0)
        settings.mCollisionGroup = CollisionGroup(world->filters[said->filter], uint(said->filter), uint(said->place));
    BodyInterface &bodies = world->system.GetBodyInterfaceNoLock();
    Body *body = bodies.CreateBody(settings);
    bodies.AddBody(body->GetID(), moves ? EActivation::Activate : EActivation::DontActivate);
    world->bodies.push_back(body);
    return int(world->bodies.size()) - 1;
}

void jolt_joint(void *pointer, const JoltJoint *said) {
    World *world = static_cast<World *>(pointer);
    Body &parent = said->parent < 0 ? Body::sFixedToWorld : *world->bodies[said->parent];
    Body &child = *world->bodies[said->child];
    Vec3 in_parent = vector(said->anchors[0]), in_child = vector(said->anchors[1]);
    Quat of_parent = rotation(said->axes[0]), of_child = rotation(said->axes[1]);
    auto add = [&](auto &settings) { world->system.AddConstraint(settings.Create(parent, child)); };
    switch (said->kind) {
    case POINT: {
        PointConstraintSettings settings;
        settings.mSpace = EConstraintSpace::LocalToBodyCOM;
        settings.mPoint1 = in_parent;
        settings.mPoint2 = in_child;
        add(settings);
        break;
    }
    case SWING_TWIST: {
        SwingTwistConstraintSettings settings;
        settings.mSpace = EConstraintSpace::LocalToBodyCOM;
        settings.mPosition1 = in_parent;
        settings.mPosition2 = in_child;
        settings.mTwistAxis1 = of_parent.RotateAxisX();
        settings.mTwistAxis2 = of_child.RotateAxisX();
        settings.mPlaneAxis1 = of_parent.RotateAxisY();
        settings.mPlaneAxis2 = of_child.RotateAxisY();
        // The normal half cone turns about the plane axis, y.
        settings.mNormalHalfConeAngle = min(said->swing[0], JPH_PI);
        settings.mPlaneHalfConeAngle = min(said->swing[1], JPH_PI);
        settings.mTwistMinAngle = max(said->range[0], -JPH_PI);
        settings.mTwistMaxAngle = min(said->range[1], JPH_PI);
        add(settings);
        break;
    }
    case HINGE: {
        // Limits of Jolt's hinge hold 0: the frame of the parent is turned until they do.
        float shift = min(max(0.0f, said->range[0]), said->range[1]);
        Quat shifted = of_parent * Quat::sRotation(Vec3::sAxisX(), shift);
        HingeConstraintSettings settings;
        settings.mSpace = EConstraintSpace::LocalToBodyCOM;
        settings.mPoint1 = in_parent;
        settings.mPoint2 = in_child;
        settings.mHingeAxis1 = shifted.RotateAxisX();
        settings.mHingeAxis2 = of_child.RotateAxisX();
        settings.mNormalAxis1 = shifted.RotateAxisY();
        settings.mNormalAxis2 = of_child.RotateAxisY();
        settings.mLimitsMin = max(said->range[0] - shift, -JPH_PI);
        settings.mLimitsMax = min(said->range[1] - shift, JPH_PI);
        add(settings);
        break;
    }
    default: {
        FixedConstraintSettings settings;
        settings.mSpace = EConstraintSpace::LocalToBodyCOM;
        settings.mPoint1 = in_parent;
        settings.mPoint2 = in_child;
        settings.mAxisX1 = of_parent.RotateAxisX();
        settings.mAxisX2 = of_child.RotateAxisX();
        settings.mAxisY1 = of_parent.RotateAxisY();
        settings.mAxisY2 = of_child.RotateAxisY();
        add(settings);
    }
    }
}

// Adds the cloth: edges, both diagonals of cells, no bending, and a tether of each point to its nearest pin.
void jolt_cloth(void *pointer, const JoltCloth *said) {
    World *world = static_cast<World *>(pointer);
    Ref<SoftBodySharedSettings> shared = new SoftBodySharedSettings;
    for (int i = 0; i < said->point_count; ++i) {
        const float *at = said->points + 3 * i;
        shared->mVertices.emplace_back(Float3(at[0], at[1], at[2]), Float3(0, 0, 0), said->point_count / said->mass);
    }
    for (int i = 0; i < said->pinned_count; ++i)
        shared->mVertices[said->pinned[i]].mInvMass = 0.0f;
    for (int i = 0; i < said->triangle_count; ++i) {
        const int *corners = said->triangles + 3 * i;
        shared->AddFace(SoftBodySharedSettings::Face(uint32(corners[0]), uint32(corners[1]), uint32(corners[2])));
    }
    bool is_held = said->pinned_count > 0;
    SoftBodySharedSettings::VertexAttributes attributes(
        0.0f, 0.0f, FLT_MAX,
        is_held ? SoftBodySharedSettings::ELRAType::EuclideanDistance : SoftBodySharedSettings::ELRAType::None);
    shared->CreateConstraints(&attributes, 1, SoftBodySharedSettings::EBendType::None);
    shared->mVertexRadius = said->radius;
    shared->Optimize();
    SoftBodyCreationSettings settings(shared, RVec3::sZero(), Quat::sIdentity(), MOVES);
    if (said->iterations > 0)
        settings.mNumIterations = uint32(said->iterations);
    settings.mFriction = said->friction;
    settings.mLinearDamping = said->damping;
    settings.mUpdatePosition = !is_held;
    settings.mAllowSleeping = false;
    BodyInterface &bodies = world->system.GetBodyInterfaceNoLock();
    world->cloth = bodies.CreateSoftBody(settings);
    bodies.AddBody(world->cloth->GetID(), EActivation::Activate);
}

void jolt_ready(void *pointer) { static_cast<World *>(pointer)->system.OptimizeBroadPhase(); }

// Advances by one collision step. Returns Jolt's error, 0 if there is none.
int jolt_step(void *pointer, float time_step) {
    World *world = static_cast<World *>(pointer);
    return int(world->system.Update(time_step, 1, &world->memory, &world->jobs));
}

// Writes position and rotation (x, y, z, w) of a body.
void jolt_pose(const void *pointer, int number, float *pose) {
    const Body &body = *static_cast<const World *>(pointer)->bodies[number];
    RVec3 at = body.GetCenterOfMassPosition();
    Quat turn = body.GetRotation();
    for (int i = 0; i < 3; ++i)
        pose[i] = float(at[i]);
    turn.GetXYZW().StoreFloat4(reinterpret_cast<Float4 *>(pose + 3));
}

// Writes the points of the cloth in the world.
void jolt_cloth_points(const void *pointer, float *points) {
    const Body &cloth = *static_cast<const World *>(pointer)->cloth;
    RVec3 origin = cloth.GetCenterOfMassPosition();
    const auto *motion = static_cast<const SoftBodyMotionProperties *>(cloth.GetMotionProperties());
    for (const SoftBodyVertex &vertex : motion->GetVertices()) {
        RVec3 at = origin + cloth.GetRotation() * vertex.mPosition;
        for (int i = 0; i < 3; ++i)
            *points++ = float(at[i]);
    }
}

} // extern "C"
